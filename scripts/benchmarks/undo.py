"""What keeping the files before a turn costs in a large repository."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.errors import NotMeasured
from benchmarks.processes import wait_for_calm
from benchmarks.workbench import IDENTITY, Samples, Workbench
from roocode.security.undo.snapshots import Snapshots

FILES = 20_000
FOLDER = 100


def undo(bench: Workbench, runs: int) -> Mapping[str, Samples]:
    """Milliseconds for one snapshot of a repository of FILES files of which one changed."""
    root = bench.repository.parent / "large"
    env = {**os.environ, **IDENTITY}
    _filled(root, env)
    return {"undo": Samples(asyncio.run(_snapshots(bench, root, env, runs)))}


def _filled(root: Path, env: Mapping[str, str]) -> None:
    for number in range(FILES):
        path = root / f"d{number // FOLDER}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file {number}\n" * 20)
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *command], cwd=root, env=env, check=True)


async def _snapshots(bench: Workbench, root: Path, env: Mapping[str, str], runs: int) -> list[float]:
    snapshots = await Snapshots.open(root, bench.repository.parent / "index", "bench", env)
    if snapshots is None:
        raise NotMeasured("git sees no repository")
    found, trees = [], {(await snapshots.take("first")).tree}
    for number in range(runs):
        (root / f"d{number}" / f"f{number * FOLDER}.txt").write_text(f"changed {number}\n")
        wait_for_calm(bench.patience_s)
        began = time.monotonic()
        trees.add((await snapshots.take(str(number))).tree)
        found.append((time.monotonic() - began) * 1000)
    if len(trees) != runs + 1:
        raise NotMeasured("a change was not seen")
    return found
