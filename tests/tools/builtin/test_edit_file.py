"""EditFile."""

from __future__ import annotations

import codecs

import pytest

from tests.tools.conftest import Bench

LONG = "def particular(a, b):\n    first = a + b\n    second = a - b\n    return first * second\n\n\nx = 1\n"


@pytest.mark.asyncio
async def test_a_passage_is_replaced_and_the_rest_stays(bench: Bench) -> None:
    file = bench.write("f.py", b"a = 1\r\nb = 2\nc = caf\xe9")
    file.chmod(0o640)
    await bench.text("ReadFile", path="f.py")
    outcome = await bench.call("EditFile", file_path="f.py", old_str="a = 1\nb", new_str="a = 3\nb")
    assert outcome.content == "Edited f.py: replaced at line 1."
    assert "-a = 1\n+a = 3" in outcome.shown
    assert file.read_bytes() == b"a = 3\r\nb = 2\nc = caf\xe9"
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (codecs.BOM_UTF8 + b"old\r\n", codecs.BOM_UTF8 + "nëw\r\n".encode()),
        ("old é".encode("utf-16"), "nëw é".encode("utf-16")),
        (b"old \x80\x81\xe9", b"n\xebw \x80\x81\xe9"),
        ("old → é".encode() + b"\xff\xfe", "nëw → é".encode() + b"\xff\xfe"),
    ],
)
async def test_encodings_are_kept_byte_for_byte(bench: Bench, before: bytes, after: bytes) -> None:
    file = bench.write("f", before)
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="old", new_string="nëw")
    assert file.read_bytes() == after


@pytest.mark.asyncio
@pytest.mark.parametrize("new", ["→", "\ud800"])
async def test_what_the_encoding_lacks_is_refused(bench: Bench, new: str) -> None:
    file = bench.write("f", b"old \xe9")
    await bench.text("ReadFile", path="f")
    assert "has no character" in await bench.error("EditFile", path="f", old_string="old", new_string=new)
    assert file.read_bytes() == b"old \xe9"


@pytest.mark.asyncio
async def test_replacing_everywhere(bench: Bench) -> None:
    file = bench.write("f", "x = x\ny\nx\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="x", new_string="z")
    assert "old_string is 3 times in f, at lines 1, 1, 3; nothing was changed." in error
    assert "set replace_all" in error
    said = await bench.text("EditFile", path="f", old_string="x", new_string="z", replace_all=True)
    assert said == "Edited f: 3 replacements at lines 1, 1, 3."
    assert file.read_text() == "z = z\ny\nz\n"


@pytest.mark.asyncio
async def test_whitespace_matches_are_reported(bench: Bench) -> None:
    file = bench.write("f", "if a:\n\tb()\n")
    await bench.text("ReadFile", path="f")
    said = await bench.text("EditFile", path="f", old_string="    b()", new_string="    c()")
    assert "matched only when whitespace is ignored" in said
    assert file.read_text() == "if a:\n\tc()\n"


@pytest.mark.asyncio
async def test_no_match_shows_the_nearest_lines(bench: Bench) -> None:
    bench.write("f", "one\ntwo words\nthree\n")
    await bench.text("ReadFile", path="f")
    error = await bench.error("EditFile", path="f", old_string="two wrds\nthree", new_string="x")
    assert "old_string is not in f; nothing was changed." in error
    assert "     2\ttwo words\n     3\tthree\nLine 2 differs" in error


@pytest.mark.asyncio
async def test_files_are_read_before_they_are_edited(bench: Bench) -> None:
    file = bench.write("f", LONG)
    assert "was not read" in await bench.error("EditFile", path="f", old_string="x = 1", new_string="x = 2")
    await bench.text("ReadFile", path="f", offset=7, limit=1)
    assert "replaced at line 7" in await bench.text(
        "EditFile", path="f", old_string="x = 1", new_string="x = 2"
    )
    error = await bench.error("EditFile", path="f", old_string="a", new_string="b", replace_all=True)
    assert "in part only, and only an exact, single match counts then" in error
    error = await bench.error("EditFile", path="f", old_string="return  first", new_string="return  1")
    assert "is not in f" in error
    assert file.read_text() == LONG.replace("x = 1", "x = 2")


@pytest.mark.asyncio
async def test_a_long_and_unique_anchor_needs_no_reading(bench: Bench) -> None:
    file = bench.write("f", "\n".join("abcdef") + "\n")
    await bench.text("EditFile", path="f", old_string="b\nc\nd\ne\nf", new_string="z")
    assert file.read_text() == "a\nz\n"
    again = bench.write("g", "p" * 250 + " q")
    await bench.text("EditFile", path="g", old_string="p" * 250, new_string="r")
    assert again.read_text() == "r q"


@pytest.mark.asyncio
async def test_a_file_that_changed_is_edited_only_beyond_doubt(bench: Bench) -> None:
    file = bench.write("f", "a\nb\nc\n")
    await bench.text("ReadFile", path="f")
    file.write_text("a\nb\nC\nC\n")
    said = await bench.text("EditFile", path="f", old_string="b", new_string="B")
    assert "The file has changed since you read it" in said
    assert file.read_text() == "a\nB\nC\nC\n"
    file.write_text("a\n\tB\nC\nC\n")
    error = await bench.error("EditFile", path="f", old_string="  B", new_string="D")
    assert "has changed since it was read, and only an exact, single match counts" in error
    error = await bench.error("EditFile", path="f", old_string="C", new_string="D", replace_all=True)
    assert "has changed" in error
    assert "read it again" in await bench.error("EditFile", path="f", old_string="nothing", new_string="D")


@pytest.mark.asyncio
async def test_edits_can_follow_one_another(bench: Bench) -> None:
    file = bench.write("f", "a\nb\n")
    await bench.text("ReadFile", path="f")
    await bench.text("EditFile", path="f", old_string="a", new_string="x")
    assert await bench.text("EditFile", path="f", old_string="b", new_string="y") == (
        "Edited f: replaced at line 2."
    )
    assert "Replaced f" in await bench.text("WriteFile", path="f", content="z")
    assert file.read_text() == "z"


def test_edits_of_nothing_are_complaints(bench: Bench) -> None:
    tool = bench.tools["EditFile"]
    assert "must not be empty" in tool.complaint({"path": "f", "old_string": "", "new_string": "x"})
    assert "must differ" in tool.complaint({"path": "f", "old_string": "x", "new_string": "x"})


def test_the_preview_is_the_diff(bench: Bench) -> None:
    bench.write("f", "a\nb\nc\n")
    tool = bench.tools["EditFile"]
    assert tool.preview({"path": "f", "old_string": "b", "new_string": "x"}).endswith(" a\n-b\n+x\n c\n ")
    assert "-gone" in tool.preview({"path": "f", "old_string": "gone", "new_string": "x"})
    assert "-gone" in tool.preview({"path": "missing", "old_string": "gone", "new_string": "x"})
    touches = tool.touches({"path": "f", "old_string": "b", "new_string": "x"})
    assert (touches.reads, touches.writes) == (("f",), ("f",))
