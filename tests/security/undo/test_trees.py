"""Changed trees are those that git makes of an index with the same changes."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.security.undo.snapshots import Snapshots
from tests.gitrepo import Repo

NAMES = ("a", "a.b", "a/b", "a/c/d", "a0", "z/y/x", "odd\n\udcff/\t", "deep/er")
step = st.tuples(st.sampled_from(NAMES), st.sampled_from(["write", "remove", "program", "link"]))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo.create(tmp_path_factory.mktemp("template"), **{"a.b": "1", "deep/er": "2", "z/y/x": "3"})


def do(root: Path, name: str, what: str) -> None:
    path = root / name
    for above in path.parents:
        if above != root and above.is_relative_to(root) and (above.is_symlink() or above.is_file()):
            above.unlink()
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if what != "remove":
        path.parent.mkdir(parents=True, exist_ok=True)
        if what == "link":
            path.symlink_to("a")
        else:
            path.write_text(what)
            path.chmod(0o755 if what == "program" else 0o644)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(step, max_size=4), min_size=1, max_size=3))
def test_a_snapshot_is_the_tree_that_git_would_write(
    template: Repo, rounds: list[list[tuple[str, str]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        repo = Repo(base / "project", template.env)
        shutil.copytree(template.root, repo.root, symlinks=True)
        asyncio.run(_play(repo, base, rounds))


async def _play(repo: Repo, base: Path, rounds: list[list[tuple[str, str]]]) -> None:
    snapshots = await Snapshots.open(repo.root, base / "index", "s", repo.env)
    assert snapshots is not None
    await snapshots.take("0")
    other = Repo(repo.root, {**repo.env, "GIT_INDEX_FILE": str(base / "other")})
    for number, steps in enumerate(rounds, start=1):
        for each in steps:
            do(repo.root, *each)
        taken = await snapshots.take(str(number))
        other.git("add", "--all")
        assert taken.tree == other.git("write-tree")
        assert repo.git("cat-file", "-t", taken.tree) == "tree"
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.asyncio
async def test_a_tree_in_which_nothing_is_left(template: Repo, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "project", template.env)
    shutil.copytree(template.root, repo.root, symlinks=True)
    snapshots = await Snapshots.open(repo.root, tmp_path / "index", "s", repo.env)
    assert snapshots is not None
    before = await snapshots.take("0")
    for path in os.listdir(repo.root):
        if path != ".git":
            do(repo.root, path, "remove")
    taken = await snapshots.take("1")
    assert repo.git("ls-tree", taken.tree) == ""
    assert len((await snapshots.difference(before, taken)).changes) == 3
