"""From the bytes of a file to the bytes of the edited one: nothing beside the passage changes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from roocode.tools.editing.apply import Edited, edit
from roocode.tools.text import decode, encode

OLD = "<old passage>"
PIECES = st.sampled_from(
    [
        b"\n", b"\r\n", b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0c", b"a", b"  ", b"\t", b"\x1a",
        b"\x85", "é".encode(), "→".encode(), "😀".encode(), b"\xe9", b"\x80", b"\xff", b"\xfe",
        codecs.BOM_UTF8,
        "日本語".encode("shift_jis"), "表示".encode("shift_jis"), "中文".encode("gbk"),
        "漢字".encode("euc_jp"), "한글".encode("euc_kr"), "привет".encode("koi8_r"), b"\x1b$B", b"\\",
    ]
)  # fmt: skip
AROUND = st.lists(PIECES | st.binary(max_size=3), max_size=12).map(b"".join)
MARKED = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"]
BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def edited(data: bytes, new: str) -> bytes | None:
    """What EditFile would write; None where it would refuse."""
    decoded = decode(data)
    if decoded is None:
        return None
    outcome = edit(decoded.text, OLD, new)
    return encode(outcome.text, decoded.encoding) if isinstance(outcome, Edited) else None


@given(AROUND, AROUND, st.text("xyz $&\\1", max_size=6))
@example(b"\xef\xbb\xbf\r\n", b"\r", r"\g<0>$&")
@example(b"", b"", "")
@example(b"\xff\xfe", b"\n", "x")
def test_any_bytes_around_a_passage_stay(before: bytes, after: bytes, new: str) -> None:
    data = before + OLD.encode() + after
    assume(data.count(OLD.encode()) == 1)
    written = edited(data, new)
    if written is None:
        decoded = decode(data)
        assert decoded is None or decoded.encoding.bom
    else:
        assert written == before + new.encode() + after


@given(AROUND, AROUND, st.lists(st.text("xyz", max_size=3), min_size=2, max_size=4))
def test_new_lines_get_an_ending_that_the_file_has(before: bytes, after: bytes, lines: list[str]) -> None:
    data = before + OLD.encode() + after
    assume(data.count(OLD.encode()) == 1)
    written = edited(data, "\n".join(lines))
    assume(written is not None)
    assert written is not None
    assert written.startswith(before)
    assert written.endswith(after)
    inner = written[len(before) : len(written) - len(after)]
    ends = {b"\r\n" if b"\r\n" in before + after else b"\n", b"\n"}
    assert inner in {end.join(line.encode() for line in lines) for end in ends}
    if b"\r\n" in before + after and b"\n" not in (before + after).replace(b"\r\n", b""):
        assert inner == b"\r\n".join(line.encode() for line in lines)


@pytest.mark.parametrize("codec", MARKED)
@given(before=st.text(max_size=8), after=st.text(max_size=8), new=st.text(max_size=4))
def test_marked_encodings_stay(codec: str, before: str, after: str, new: str) -> None:
    text = before + OLD + after
    assume(text.count(OLD) == 1 and new != OLD and "\n" not in new and "\r" not in before + after + new)
    data = BOMS[codec] + text.encode(codec)
    assume(codec != "utf-16-le" or not data.startswith(codecs.BOM_UTF32_LE))
    assert edited(data, new) == BOMS[codec] + (before + new + after).encode(codec)
