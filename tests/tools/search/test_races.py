"""A directory is exchanged with a link to the outside while searches run: nothing of the outside is shown."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from roocode.protocol.errors import RooCodeError
from tests.exchange import exchanging
from tests.tools.conftest import Bench

_ROUNDS = 20


@pytest_asyncio.fixture(params=["ripgrep", "ours"])
async def tools(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    """The tools with ripgrep, or without, in a project that holds a directory and a link to the outside."""
    if request.param == "ours":
        monkeypatch.setenv("PATH", "/nowhere")
    elif shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    top = tmp_path.resolve()
    for directory in ("project/race/deep", "scratch", "outside/deep"):
        (top / directory).mkdir(parents=True)
    for directory in ("", "deep"):
        for number in range(30):
            (top / "outside" / directory / f"s{number}.txt").write_text("needle secret\n")
            (top / "project/race" / directory / f"a{number}.txt").write_text("needle inside\n")
    (top / "project/link").symlink_to(top / "outside")
    bench = Bench(top / "project", top / "scratch")
    yield bench
    await bench.shells.close()


async def _found(tools: Bench, good: str, name: str, **arguments: str) -> set[str]:
    """The lines that many calls give, until one holds what is inside."""
    found: set[str] = set()
    rounds = 0
    with exchanging(tools.root / "race", tools.root / "link"):
        while rounds < _ROUNDS or not any(good in line for line in found):
            rounds += 1
            try:
                found |= set((await tools.call(name, **arguments)).content.splitlines())
            except RooCodeError as error:
                found.add(f"refused: {error}")
    return found


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [".", "race"])
async def test_lines(tools: Bench, path: str) -> None:
    found = await _found(tools, "needle inside", "Grep", pattern="needle", path=path, output_mode="content")

    assert not any("needle secret" in line for line in found)


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["files_with_matches", "count"])
async def test_files_with_matches(tools: Bench, mode: str) -> None:
    found = await _found(tools, "race/a", "Grep", pattern="needle", output_mode=mode)

    assert not any("s1.txt" in line for line in found)


@pytest.mark.asyncio
async def test_names(tools: Bench) -> None:
    found = await _found(tools, "race/deep/a1.txt", "Glob", pattern="**/*.txt")

    assert not any("s1.txt" in line for line in found)


@pytest.mark.asyncio
async def test_a_pipe_does_not_hold_up_a_search(tools: Bench) -> None:
    os.mkfifo(tools.root / "pipe")

    assert "race/a1.txt" in await tools.text("Grep", pattern="needle inside")
