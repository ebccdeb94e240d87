"""Grep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tools.conftest import Bench


@pytest.fixture
def full(bench: Bench) -> Bench:
    bench.write("a.py", "import os\nx = 1\ny = 2\nprint(x)\n\n\nx = 3\n")
    bench.write("sub/b.md", "x = 4\n")
    os.utime(bench.root / "a.py", (1_000_000, 1_000_000))
    return bench


@pytest.mark.asyncio
async def test_files_newest_first(full: Bench) -> None:
    assert await full.text("Grep", pattern="x = ") == "sub/b.md\na.py"
    assert await full.text("Grep", pattern="x = ", path="sub") == "sub/b.md"
    assert await full.text("Grep", pattern="x = ", path="a.py") == "a.py"


@pytest.mark.asyncio
async def test_lines(full: Bench) -> None:
    assert await full.text("Grep", pattern="^x", output_mode="content") == (
        "a.py:2:x = 1\na.py:7:x = 3\nsub/b.md:1:x = 4"
    )
    with_context = {"pattern": "^x", "output_mode": "content", "-B": 1, "-A": 1, "path": "a.py"}
    assert await full.text("Grep", **with_context) == (
        "a.py-1-import os\na.py:2:x = 1\na.py-3-y = 2\n--\na.py-6-\na.py:7:x = 3"
    )
    around = {"pattern": "PRINT", "-i": True, "-n": True, "-C": 1, "output_mode": "content"}
    assert await full.text("Grep", **around) == "a.py-3-y = 2\na.py:4:print(x)\na.py-5-"


@pytest.mark.asyncio
async def test_counts_types_and_globs(full: Bench) -> None:
    assert await full.text("Grep", pattern="x", output_mode="count") == "a.py:3\nsub/b.md:1"
    assert await full.text("Grep", pattern="x", type="python") == "a.py"
    assert await full.text("Grep", pattern="x", glob="*.md") == "sub/b.md"


@pytest.mark.asyncio
async def test_parts(full: Bench) -> None:
    assert await full.text("Grep", pattern="x", output_mode="content", head_limit=2) == (
        "a.py:2:x = 1\na.py:4:print(x)\n[TRUNCATED: 1-2 of 4; go on with offset 2, or narrow the search]"
    )
    assert await full.text("Grep", pattern="x", output_mode="content", head_limit=2, offset=2) == (
        "a.py:7:x = 3\nsub/b.md:1:x = 4"
    )
    assert await full.text("Grep", pattern="x", offset=7) == "offset 7 is past the end: there are 2 entries."
    full.write("many", "x\n" * 1000)
    many = await full.text("Grep", pattern="x", output_mode="content", path="many")
    assert many.endswith("[TRUNCATED: 1-250 of 1000; go on with offset 250, or narrow the search]")
    everything = await full.text("Grep", pattern="x", output_mode="content", path="many", head_limit=0)
    assert everything.count("\n") == 999


@pytest.mark.asyncio
async def test_long_lines_are_cut(full: Bench) -> None:
    full.write("min.js", "x" * 1_000_000)
    text = await full.text("Grep", pattern="xx", output_mode="content", path="min.js")
    assert text == f"min.js:1:{'x' * 500}… [+999,500 characters]"
    full.write("huge.js", "x" * 9_000_000)
    assert "too long to show" in await full.error("Grep", pattern="x", output_mode="content", path="huge.js")
    full.write("wide", f"{'w' * 400}\n" * 200)
    text = await full.text("Grep", pattern="w", output_mode="content", path="wide")
    assert len(text) < 30_200
    assert f"TRUNCATED: 1-{text.count('wide:')} of 200" in text


@pytest.mark.asyncio
async def test_nothing_found_and_bad_patterns_are_told_apart(full: Bench) -> None:
    assert "No matches for zzz in this directory" in await full.text("Grep", pattern="zzz")
    assert "The pattern is not valid" in await full.error("Grep", pattern="(")
    assert "nowhere does not exist" in await full.error("Grep", pattern="x", path="nowhere")
    tool = full.tools["Grep"]
    assert "unknown; known are c, cpp" in tool.complaint({"pattern": "x", "type": "cobol"})
    assert "set `multiline`" in tool.complaint({"pattern": "a\\nb"})
    assert "set `multiline`" in tool.complaint({"pattern": "a\nb"})
    assert tool.complaint({"pattern": "a\\\\nb"}) == ""
    assert "`-A` must be an integer ≥ 0, got -1" in tool.complaint({"pattern": "x", "-A": -1})
    assert await full.text("Grep", pattern="x = 1\\ny", multiline=True) == "a.py"


@pytest.mark.asyncio
async def test_what_rules_hide_is_hidden_in_every_mode(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    bench = Bench(tmp_path / "project", tmp_path / "scratch", hidden=".env")
    bench.write(".env", "password\n")
    for mode in ("content", "files_with_matches", "count"):
        assert "No matches" in await bench.text("Grep", pattern="pass", output_mode=mode)


@pytest.mark.asyncio
async def test_links_and_the_outside_are_not_searched(full: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/s").write_text("x secret")
    (full.root / "link").symlink_to(tmp_path / "outside")
    assert await full.text("Grep", pattern="x", output_mode="count") == "a.py:3\nsub/b.md:1"
    assert "secret" not in await full.error("Grep", pattern="x", path="link", output_mode="content")
    assert "secret" not in await full.error("Grep", pattern="x", path="../outside", output_mode="content")


SECRETS = (".env", "config/id_rsa", "deploy/server.pem", "x.tfvars", "home/.aws/credentials")


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
@pytest.mark.parametrize("narrowed", [{}, {"glob": "*"}, {"glob": ".env"}, {"path": "config"}])
async def test_a_broad_search_leaves_files_with_secrets_out(
    bench: Bench, mode: str, narrowed: dict[str, str]
) -> None:
    for path in SECRETS:
        bench.write(path, "KEY=swordfish\n")
    found = await bench.text("Grep", pattern="swordf", output_mode=mode, **narrowed)
    assert found.startswith("No matches")
    assert "`path` names one" in found
    bench.write("config/notes.md", "swordfish\n")
    bench.write(".env.example", "KEY=swordfish\n")
    found = await bench.text("Grep", pattern="swordf", output_mode=mode)
    assert [line.partition(":")[0] for line in sorted(found.splitlines())] == [
        ".env.example",
        "config/notes.md",
    ]


@pytest.mark.asyncio
async def test_a_file_with_secrets_is_searched_where_it_is_named(bench: Bench) -> None:
    for path in SECRETS:
        bench.write(path, "KEY=swordfish\n")
        assert await bench.text("Grep", pattern="swordf", path=path) == path
    assert await bench.text("Grep", pattern="swordf", path="home/.aws") == "home/.aws/credentials"
