"""ReadFile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tools.conftest import Bench


@pytest.mark.asyncio
async def test_lines_are_numbered(bench: Bench) -> None:
    bench.write("a.py", "one\n\ttwo\nthree\n")
    assert await bench.text("ReadFile", path="a.py") == "     1\tone\n     2\t\ttwo\n     3\tthree"
    absolute = str(bench.root / "a.py")
    assert await bench.text("ReadFile", file_path=absolute, offset=2, limit=1) == (
        "     2\t\ttwo\n[PARTIAL: lines 2-2 of 3; go on with offset 3]"
    )


@pytest.mark.asyncio
async def test_the_default_is_two_thousand_lines(bench: Bench) -> None:
    bench.write("long", "".join(f"line {n}\n" for n in range(1, 5001)))
    text = await bench.text("ReadFile", path="long")
    assert "  2000\tline 2000\n[PARTIAL: lines 1-2000 of 5000; go on with offset 2001]" in text
    assert text.count("\n") == 2000
    assert bench.services.seen.state(bench.root / "long", (bench.root / "long").read_bytes()) == "part"
    await bench.text("ReadFile", path="long", offset=2001)
    await bench.text("ReadFile", path="long", offset=4001, limit=1000)
    assert bench.services.seen.state(bench.root / "long", (bench.root / "long").read_bytes()) == "whole"


@pytest.mark.asyncio
async def test_long_lines_and_much_text_are_cut(bench: Bench) -> None:
    bench.write("wide", "x" * 5000 + "\n" + "y\n")
    assert "x… [+3,000 characters]\n     2\ty" in await bench.text("ReadFile", path="wide")
    bench.write("much", f"{'z' * 1000}\n" * 500)
    text = await bench.text("ReadFile", path="much")
    assert len(text) < 101_000
    assert "[PARTIAL: lines 1-99 of 500; go on with offset 100]" in text
    error = await bench.error("ReadFile", path="much", offset=10, limit=400)
    assert "limit 99 fits" in error


@pytest.mark.asyncio
async def test_empty_files_and_offsets_past_the_end(bench: Bench) -> None:
    bench.write("empty", "")
    bench.write("short", "a")
    assert await bench.text("ReadFile", path="empty") == "(empty is empty)"
    assert "past the end: short has 1 lines" in await bench.error("ReadFile", path="short", offset=2)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\r\n", "     1\ta\n     2\tb"),
        (b"\xef\xbb\xbfa\n", "     1\ta\n[encoding: utf-8 with a byte order mark]"),
        ("aé\n".encode("utf-16"), "     1\taé\n[encoding: utf-16-le with a byte order mark]"),
        (b"caf\xe9\n", "     1\tcafé\n[encoding: windows-1252]"),
        ("é→".encode() + b"\xff\n", "     1\té→�\n[encoding: utf-8 with invalid bytes]"),
    ],
)
async def test_encodings(bench: Bench, data: bytes, text: str) -> None:
    bench.write("f", data)
    assert await bench.text("ReadFile", path="f") == text


@pytest.mark.asyncio
async def test_what_is_no_text_says_what_it_is(bench: Bench) -> None:
    bench.write("picture.txt", b"\x89PNG\r\n\x1a\n\0\0")
    bench.write("blob", b"\0\1\2")
    (bench.root / "folder").mkdir()
    os.mkfifo(bench.root / "pipe")
    assert "picture.txt is no text: PNG image, 10 bytes" in await bench.error("ReadFile", path="picture.txt")
    assert "blob is no text: binary file, 3 bytes" in await bench.error("ReadFile", path="blob")
    assert "folder is a directory.\nList it with Glob" in await bench.error("ReadFile", path="folder")
    assert "pipe" in await bench.error("ReadFile", path="pipe")
    assert "/dev/zero" in await bench.error("ReadFile", path="/dev/zero")


@pytest.mark.asyncio
async def test_a_missing_file_has_a_hint(bench: Bench) -> None:
    bench.write("src/Config.py", "")
    assert await bench.error("ReadFile", path="src/confg.py") == (
        "src/confg.py does not exist. Did you mean Config.py?"
    )
    assert "Nor does its directory" in await bench.error("ReadFile", path="nowhere/x")
    assert await bench.error("ReadFile", path="src/zzz") == "src/zzz does not exist."


@pytest.mark.asyncio
async def test_a_file_that_is_too_large_is_not_read(bench: Bench) -> None:
    with (bench.root / "huge").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "1,099,511,627,776 bytes; the limit is" in await bench.error("ReadFile", path="huge")


@pytest.mark.asyncio
async def test_what_lies_outside_is_refused(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    (bench.root / "link").symlink_to(tmp_path / "outside.txt")
    assert "secret" not in await bench.error("ReadFile", path="../outside.txt")
    assert "secret" not in await bench.error("ReadFile", path="link")


def test_it_touches_its_file_and_runs_beside_others(bench: Bench) -> None:
    tool = bench.tools["ReadFile"]
    assert tool.touches({"file_path": "a"}).reads == ("a",)
    assert tool.runs_alongside({"path": "a"})
