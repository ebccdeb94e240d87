"""Bytes to text and back without losing one."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.text import Encoding, decode, encode, kind


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        (b"", "", "utf-8"),
        ("é→😀".encode(), "é→😀", "utf-8"),
        (codecs.BOM_UTF8 + b"a", "a", "utf-8 with a byte order mark"),
        (codecs.BOM_UTF16_LE + "aé".encode("utf-16-le"), "aé", "utf-16-le with a byte order mark"),
        (codecs.BOM_UTF16_BE + "aé".encode("utf-16-be"), "aé", "utf-16-be with a byte order mark"),
        (codecs.BOM_UTF32_LE + "aé".encode("utf-32-le"), "aé", "utf-32-le with a byte order mark"),
        (b"caf\xe9 \x80 \x93x\x94", "café € “x”", "windows-1252"),
        (b"\x81\x8d\x8f\x90\x9d", "\x81\x8d\x8f\x90\x9d", "windows-1252"),
        ("é→ ".encode() + b"\xff", "é→ \udcff", "utf-8 with invalid bytes"),
    ],
)
def test_encodings_are_told_by_content(data: bytes, text: str, name: str) -> None:
    decoded = decode(data)
    assert decoded is not None
    assert (decoded.text, str(decoded.encoding)) == (text, name)
    assert encode(decoded.text, decoded.encoding) == data


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n...",
        b"%PDF-1.7\n",
        b"\x7fELF",
        codecs.BOM_UTF16_LE + b"odd",
        b"RIFF1234WEBP",
    ],
)
def test_binary_files_are_told_by_content(data: bytes) -> None:
    assert decode(data) is None


def test_kinds() -> None:
    assert (kind(b"\x89PNG\r\n\x1a\n"), kind(b"RIFF1234WEBP"), kind(b"text")) == (
        "PNG image",
        "WebP image",
        "",
    )


@given(st.binary(max_size=200))
def test_every_text_goes_back_to_its_bytes(data: bytes) -> None:
    decoded = decode(data)
    if decoded is not None:
        assert encode(decoded.text, decoded.encoding) == data


def test_a_character_that_the_encoding_lacks_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode("→", Encoding("windows-1252"))
    with pytest.raises(UnicodeEncodeError):
        encode("\ud800", Encoding())
