"""Glob."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tools.conftest import Bench


@pytest.mark.asyncio
async def test_files_come_newest_first(bench: Bench) -> None:
    for age, name in enumerate(["a.py", "sub/b.py", "sub/deep/c.py", "d.txt"]):
        file = bench.write(name, "")
        os.utime(file, (1_000_000 - age, 1_000_000 - age))
    os.utime(bench.root / "sub/deep/c.py", (2_000_000, 2_000_000))
    assert await bench.text("Glob", pattern="**/*.py") == "sub/deep/c.py\na.py\nsub/b.py"
    assert await bench.text("Glob", pattern="*.py") == "a.py"
    assert await bench.text("Glob", pattern="sub/*.{py,txt}") == "sub/b.py"
    assert await bench.text("Glob", pattern="*.py", path="sub") == "sub/b.py"
    assert await bench.text("Glob", pattern=f"{bench.root}/sub/**") == "sub/deep/c.py\nsub/b.py"


@pytest.mark.asyncio
async def test_what_is_ignored_is_not_listed(bench: Bench) -> None:
    bench.write(".gitignore", "*.log\n")
    bench.write("a.log", "")
    assert "No files match *.log" in await bench.text("Glob", pattern="*.log")
    assert await bench.text("Glob", pattern=".git*") == ".gitignore"


@pytest.mark.asyncio
async def test_more_than_a_hundred_are_cut_with_a_note(bench: Bench) -> None:
    for number in range(130):
        bench.write(f"f{number}", "")
    lines = (await bench.text("Glob", pattern="*")).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "[TRUNCATED: the 100 newest of 130 files; use a narrower pattern]"


@pytest.mark.asyncio
async def test_what_rules_hide_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    bench = Bench(tmp_path / "project", tmp_path / "scratch", hidden=".env")
    bench.write(".env", "")
    bench.write("a", "")
    assert await bench.text("Glob", pattern="*") == "a"


@pytest.mark.asyncio
async def test_bad_places(bench: Bench) -> None:
    bench.write("file", "")
    assert "is no directory" in await bench.error("Glob", pattern="*", path="file")
    assert "is no directory" in await bench.error("Glob", pattern="missing/*")
    assert "cannot be read" in await bench.error("Glob", pattern="../*")


def test_the_place_where_the_wildcards_begin_is_touched(bench: Bench) -> None:
    tool = bench.tools["Glob"]
    assert tool.touches({"pattern": "/etc/*.conf"}).reads == ("/etc",)
    assert tool.touches({"pattern": "../x/*", "path": "sub"}).reads == ("sub/../x",)
    assert tool.touches({"pattern": "*"}).reads == ("./",)
    assert tool.runs_alongside({"pattern": "*"})
