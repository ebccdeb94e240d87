"""A whole team's git work in a hostile repository runs none of its programs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from roocode.engine.team.conflict import Conflict
from roocode.engine.team.landing import Held, Landed, Result, land
from roocode.engine.team.leftovers import commit_leftovers
from roocode.engine.team.merge import Integrator, Merged, merge_into
from roocode.engine.team.repository import exclude, free_name, inspect, require_free
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git import Git
from tests.gitrepo import REASON, Repo
from tests.traps import sprung, trapped


async def commit(git: Git, branch: str, **files: str) -> str:
    """Commits as a member's own tools would, but through our git, so that no trap is sprung here."""
    for name, content in files.items():
        (git.cwd / name).write_text(content)
    await git("update-index", "--add", *files)
    await git("commit", "-q", "-m", f"on {branch}")
    return (await git("rev-parse", "HEAD")).line


@pytest.mark.asyncio
@pytest.mark.parametrize("filtered", [True, False])
async def test_no_program_of_the_repository_runs(tmp_path: Path, filtered: bool) -> None:
    repo = trapped(tmp_path, filtered=filtered)
    found = await inspect(repo.root, environ=repo.env)
    exclude(found.common_dir)
    await require_free(found, await free_name(found, "t"))
    worktrees = Worktrees(found.git, found.common_dir)
    names = ("alice", "bob", "carol", "dave")
    gits = await asyncio.gather(
        *(worktrees.add(repo.place(name), base="main", reason=REASON) for name in names)
    )
    git = dict(zip(names, gits, strict=True))
    assert (git["alice"].cwd / "a.txt").read_text() == "one\ntwo\nthree\n"
    team = await Integrator.open(worktrees, repo.integration(), base="main", reason=REASON)

    tips = {
        "alice": await commit(
            git["alice"], "alice", **{"a.txt": "ALICE\ntwo\nthree\n", "process.dat": "1\n"}
        ),
        "bob": await commit(git["bob"], "bob", **{"a.txt": "one\ntwo\nBOB\n"}),
        "carol": await commit(git["carol"], "carol", **{"a.txt": "CAROL\ntwo\nthree\n"}),
    }
    await leave(repo, git["alice"], filtered)
    branches = {name: repo.place(name).branch for name in names}
    assert frozenset({"alice", "carol"}) in {clash.pair for clash in await team.forecast(branches)}
    for name in ("alice", "bob"):
        assert isinstance(await team.merge(name, branches[name]), Merged)
    assert isinstance(await team.merge("carol", branches["carol"]), Conflict)
    assert (team.git.cwd / "a.txt").read_text() == "ALICE\ntwo\nBOB\n"
    taken = await merge_into(git["dave"], "dave", list(tips.items()))
    assert taken.conflict
    async with team.scratch():
        (team.git.cwd / "b.txt").write_text("by verify\n")
    await team.recover()

    result = Result(await team.head(), team.branch, team.git)
    landed = await land(worktrees, result, branch="main", checkout=repo.root)
    assert isinstance(landed, Held if filtered else Landed)
    for name in names:
        await worktrees.state(repo.place(name), "main")
        await worktrees.remove(repo.place(name), merged_into="main", force=True)
    await worktrees.remove(repo.integration(), merged_into="main", force=True)
    assert sprung(repo) == set()


async def leave(repo: Repo, git: Git, filtered: bool) -> None:
    """Leaves files uncommitted, has them committed, and takes away what is behind a filter."""
    (git.cwd / "b.txt").write_text("left\n")
    (git.cwd / "new.txt").write_text("new\n")
    branch = repo.place("alice").branch
    left = await commit_leftovers(git, branch=branch, message="left", written=[Path("new.txt")])
    assert left.committed == (() if filtered else ("b.txt", "new.txt"))
    assert left.named == (("b.txt", "new.txt") if filtered else ())
