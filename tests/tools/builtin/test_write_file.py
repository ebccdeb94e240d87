"""WriteFile."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from roocode.protocol.errors import ModelError
from tests.tools.conftest import Bench


@pytest.mark.asyncio
async def test_new_files_are_created_with_their_directories(bench: Bench) -> None:
    outcome = await bench.call("WriteFile", path="a/b/c.txt", content="one\ntwo")
    assert (bench.root / "a/b/c.txt").read_bytes() == b"one\ntwo"
    assert outcome.content == "Created a/b/c.txt: 2 lines, 7 bytes."
    assert "+one\n+two" in outcome.shown


@pytest.mark.asyncio
async def test_what_was_not_read_whole_is_not_replaced(bench: Bench) -> None:
    file = bench.write("f", "1\n2\n3\n")
    assert "exists and was not read" in await bench.error("WriteFile", path="f", content="x")
    await bench.text("ReadFile", path="f", limit=2)
    assert "in part only" in await bench.error("WriteFile", path="f", content="x")
    await bench.text("ReadFile", path="f")
    file.write_text("changed by someone")
    assert "has changed since" in await bench.error("WriteFile", path="f", content="x")
    assert file.read_text() == "changed by someone"
    await bench.text("ReadFile", path="f")
    assert "Replaced f: 1 lines" in await bench.text("WriteFile", path="f", content="x")
    assert "Replaced f" in await bench.text("WriteFile", path="f", content="y")
    assert file.read_text() == "y"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("before", "content", "after", "note"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n", "CRLF line endings"),
        (b"a\r\nb\n", "c\nd\n", b"c\nd\n", ""),
        (b"a\r\nb\n", "a\nx\nb\n", b"a\r\nx\nb\n", "the line endings of lines that stay"),
        (b"a\rb\r", "c\nd\n", b"c\rd\r", "CR line endings"),
        (b"a\r\nb\r\n", "c\r\nd\n", b"c\r\nd\n", ""),
        (codecs.BOM_UTF8 + b"a", "b", codecs.BOM_UTF8 + b"b", "utf-8 with a byte order mark"),
        (b"caf\xe9", "th\xe9", b"th\xe9", "windows-1252"),
        ("aé".encode("utf-16"), "é", "é".encode("utf-16"), "utf-16-le with a byte order mark"),
    ],
)
async def test_encoding_and_line_endings_are_kept(
    bench: Bench, before: bytes, content: str, after: bytes, note: str
) -> None:
    file = bench.write("f", before)
    file.chmod(0o751)
    await bench.text("ReadFile", path="f")
    said = await bench.text("WriteFile", path="f", content=content)
    assert file.read_bytes() == after
    assert file.stat().st_mode & 0o777 == 0o751
    assert (f"Kept as it was: {note}." in said) == bool(note)


@pytest.mark.asyncio
async def test_what_cannot_be_encoded_is_not_written(bench: Bench) -> None:
    file = bench.write("f", b"caf\xe9")
    await bench.text("ReadFile", path="f")
    error = await bench.error("WriteFile", path="f", content="fine\n→")
    assert "no character '\\u2192' (line 2" in error
    assert file.read_bytes() == b"caf\xe9"
    assert "'\\ud800'" in await bench.error("WriteFile", path="new", content="\ud800")
    assert not (bench.root / "new").exists()


@pytest.mark.asyncio
async def test_no_temporary_file_is_left(bench: Bench) -> None:
    await bench.text("WriteFile", path="f", content="x")
    assert [path.name for path in bench.root.iterdir()] == ["f"]


@pytest.mark.asyncio
async def test_git_and_what_lies_outside_are_refused(bench: Bench, tmp_path: Path) -> None:
    for path in (".git/config", "../outside", str(tmp_path / "x")):
        await bench.error("WriteFile", path=path, content="x")
    assert not (tmp_path / "outside").exists()


@pytest.mark.asyncio
async def test_nobody_is_asked_about_a_file_that_was_not_read_whole(bench: Bench) -> None:
    bench.write("f", "a\nb\n")
    tool, given = bench.tools["WriteFile"], {"path": "f", "content": "a\nc\n"}
    with pytest.raises(ModelError, match="exists and was not read"):
        tool.preview(given)
    await bench.text("ReadFile", path="f")
    assert "-b\n+c" in tool.preview(given)
    bench.write("f", "a\nd\n")
    with pytest.raises(ModelError, match="has changed since it was read"):
        tool.preview(given)


@pytest.mark.asyncio
async def test_the_preview_is_the_diff(bench: Bench) -> None:
    bench.write("f", "a\nb\n")
    await bench.text("ReadFile", path="f")
    tool = bench.tools["WriteFile"]
    assert "-b\n+c" in tool.preview({"path": "f", "content": "a\nc\n"})
    assert "+new" in tool.preview({"path": "g", "content": "new"})
    assert tool.touches({"path": "f", "content": ""}).writes == ("f",)
    assert not tool.runs_alongside({"path": "f", "content": ""})


BIG = "".join(f"line {number} of a file that is not small\n" for number in range(100))


@pytest.mark.asyncio
async def test_a_placeholder_for_what_is_there_is_a_complaint(bench: Bench) -> None:
    bench.write("f.py", BIG)
    tool = bench.tools["WriteFile"]
    lazy = {"path": "f.py", "content": "line 0\n# ... rest of file unchanged\n"}
    assert "line 2 of `content`, '# ... rest of file unchanged', looks like a placeholder" in tool.complaint(
        lazy
    )
    assert tool.complaint({**lazy, "path": "new.py"}) == ""
    assert tool.complaint({**lazy, "path": "../outside"}) == ""
    assert tool.complaint({**lazy, "content": BIG + "# ... rest of file unchanged\n"}) == ""
    said = await bench.text("WriteFile", path="new.py", content="# ... rest of file\n")
    assert "Line 1 looks like a placeholder" in said


@pytest.mark.asyncio
async def test_a_write_that_removes_most_of_a_file_is_pointed_out(bench: Bench) -> None:
    bench.write("f", BIG)
    await bench.text("ReadFile", path="f")
    tool = bench.tools["WriteFile"]
    preview = tool.preview({"path": "f", "content": "line 0\n"})
    assert preview.startswith("WARNING: 100 % of the file goes: 100 lines before, 1 after\n--- f\n")
    assert not tool.preview({"path": "f", "content": BIG[: len(BIG) // 2]}).startswith("WARNING")
    said = await bench.text("WriteFile", path="f", content="line 0\n")
    assert "Look again, 100 % of the file goes" in said


@pytest.mark.asyncio
async def test_syntax_errors_are_told(bench: Bench) -> None:
    said = await bench.text("WriteFile", path="a.json", content='{"a": 1,}')
    assert "This edit brings in a syntax error at line 1" in said
    said = await bench.text("WriteFile", path="a.json", content='{"a": 1}')
    assert said.endswith("The syntax error is gone.")


@pytest.mark.asyncio
async def test_a_link_leads_to_the_file_and_hard_links_part(bench: Bench) -> None:
    file = bench.write("real", "a")
    (bench.root / "link").symlink_to("real")
    (bench.root / "hard").hardlink_to(file)
    await bench.text("ReadFile", path="link")
    await bench.text("WriteFile", path="link", content="b")
    assert (bench.root / "link").is_symlink()
    assert (file.read_text(), (bench.root / "hard").read_text()) == ("b", "a")
