"""Bytes to text and back, byte for byte: whatever is decoded here encodes to the same bytes again. Pure."""

from __future__ import annotations

import codecs
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen

Codec: TypeAlias = Literal["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "windows-1252"]

_BOMS: tuple[tuple[bytes, Codec], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x7fELF", "ELF program"),
    (b"SQLite format 3\0", "SQLite database"),
)
_SNIFFED = 8192


def _windows_1252() -> str:
    """All 256 characters; the five bytes that Python leaves undefined map to themselves, as WHATWG has it."""
    pairs = (bytes([code]).decode("cp1252", "replace") for code in range(256))
    return "".join(chr(code) if char == "�" else char for code, char in enumerate(pairs))


_TABLE = _windows_1252()


@frozen
class Encoding:
    """How a file's text is stored. `damaged`: UTF-8 with bytes in it that are not."""

    codec: Codec = "utf-8"
    bom: bytes = b""
    damaged: bool = False

    def __str__(self) -> str:
        name = f"{self.codec} with a byte order mark" if self.bom else self.codec
        return f"{name} with invalid bytes" if self.damaged else name


@frozen
class Decoded:
    """A file's text, line endings untouched. Invalid bytes of a damaged file are lone surrogates."""

    text: str
    encoding: Encoding


def decode(data: bytes) -> Decoded | None:
    """The text of a file, told by its content; None for a binary file.

    UTF-8, UTF-16 and UTF-32 with a byte order mark, else windows-1252, which takes any byte.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _decode_marked(data, bom, codec)
    if b"\0" in data[:_SNIFFED] or kind(data):
        return None
    try:
        return Decoded(data.decode(), Encoding())
    except UnicodeDecodeError:
        pass
    lenient = data.decode("utf-8", "surrogateescape")
    escaped = sum(1 for char in lenient if "\ud800" <= char <= "\udfff")
    multibyte = sum(1 for char in lenient if char > "\x7f") - escaped
    if multibyte >= escaped:
        return Decoded(lenient, Encoding(damaged=True))
    return Decoded(codecs.charmap_decode(data, "strict", _TABLE)[0], Encoding("windows-1252"))


def _decode_marked(data: bytes, bom: bytes, codec: Codec) -> Decoded | None:
    body = data[len(bom) :]
    try:
        return Decoded(body.decode(codec), Encoding(codec, bom))
    except UnicodeDecodeError:
        if codec != "utf-8":
            return None
        return Decoded(body.decode(codec, "surrogateescape"), Encoding(codec, bom, damaged=True))


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes of a file. Raises UnicodeEncodeError where the encoding lacks a character."""
    if encoding.codec == "windows-1252":
        return codecs.charmap_encode(text, "strict", codecs.charmap_build(_TABLE))[0]
    return encoding.bom + text.encode(encoding.codec, "surrogateescape" if encoding.damaged else "strict")


def kind(data: bytes) -> str:
    """What a binary file is by its first bytes, "" where they do not say."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP image"
    return next((name for magic, name in _MAGIC if data.startswith(magic)), "")


def sendable(text: str) -> str:
    """A file's text with U+FFFD for bytes that are no text, so that it can be sent and shown."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
