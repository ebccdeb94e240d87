"""The person's branch moves in one step to a verified result, or nothing is touched."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.engine.team.conflict import Conflict
from roocode.engine.team.landing import Held, Landed, Landing, Result, land
from roocode.engine.team.merge import Integrator, Merged
from roocode.security.sandbox.process import until
from tests.gitrepo import REASON, Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


async def merged(repo: Repo, base: str = "main", **files: str) -> Integrator:
    """An integration branch with one member's work in it."""
    path = await repo.member("alice", base)
    repo.commit("alice's change", cwd=path, **(files or {"a.txt": "alice\n", "new.txt": "new\n"}))
    team = await Integrator.open(await repo.worktrees(), repo.integration(), base=base, reason=REASON)
    assert isinstance(await team.merge("alice", repo.place("alice").branch), Merged)
    return team


async def landing(repo: Repo, team: Integrator, branch: str | None = "main") -> Landing:
    result = Result(await team.head(), team.branch, team.git)
    return await land(await repo.worktrees(), result, branch=branch, checkout=repo.root)


async def finish(repo: Repo, held: Held) -> None:
    """Runs the command that a person is told."""
    shell = await asyncio.create_subprocess_exec("sh", "-c", held.command, cwd=repo.root, env=repo.env)
    assert await shell.wait() == 0


@pytest.mark.asyncio
async def test_a_clean_checkout_moves_with_its_branch(repo: Repo) -> None:
    team = await merged(repo)
    head = await team.head()
    assert await landing(repo, team) == Landed("main", head, repo.root)
    assert (repo.head(), (repo.root / "a.txt").read_text()) == (head, "alice\n")
    assert repo.git("branch", "--show-current") == "main"
    assert await landing(repo, team) == Landed("main", head, repo.root)


@pytest.mark.asyncio
async def test_changes_that_are_not_in_the_way_stay(repo: Repo) -> None:
    team = await merged(repo)
    repo.write(**{"b.txt": "mine\n", "mine.txt": "mine\n"})
    repo.git("add", "b.txt")
    assert isinstance(await landing(repo, team), Landed)
    assert repo.git("diff", "--cached", "--name-only") == "b.txt"
    assert (repo.root / "mine.txt").read_text() == "mine\n"


def edit_tracked(repo: Repo) -> None:
    repo.write(**{"a.txt": "mine\n"})


def stage_tracked(repo: Repo) -> None:
    edit_tracked(repo)
    repo.git("add", "a.txt")


def add_untracked(repo: Repo) -> None:
    repo.write(**{"new.txt": "mine\n"})


def add_ignored(repo: Repo) -> None:
    (repo.root / ".git" / "info" / "exclude").write_text("new.txt\n")
    add_untracked(repo)


@pytest.mark.asyncio
@pytest.mark.parametrize("change", [edit_tracked, stage_tracked, add_untracked, add_ignored])
async def test_a_dirty_checkout_is_not_touched(repo: Repo, change: Callable[[Repo], None]) -> None:
    team = await merged(repo)
    change(repo)
    before = (repo.head(), repo.status())
    contents = {path.name: path.read_text() for path in repo.root.glob("*.txt")}
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert held.kind == "dirty"
    assert held.paths in {("a.txt",), ("new.txt",)}
    assert (repo.head(), repo.status()) == before
    assert {path.name: path.read_text() for path in repo.root.glob("*.txt")} == contents
    repo.git("stash", "--include-untracked")
    (repo.root / "new.txt").unlink(missing_ok=True)
    await finish(repo, held)
    assert repo.head() == await team.head()


@pytest.mark.asyncio
async def test_a_branch_that_nobody_has_checked_out(repo: Repo) -> None:
    repo.git("branch", "feature")
    team = await merged(repo, "feature")
    repo.write(**{"a.txt": "mine\n"})
    assert await landing(repo, team, "feature") == Landed("feature", await team.head(), None)
    assert repo.git("rev-parse", "feature") == await team.head()
    assert (repo.root / "a.txt").read_text() == "mine\n"
    assert repo.git("rev-parse", "main") != repo.git("rev-parse", "feature")


@pytest.mark.asyncio
async def test_a_branch_that_is_checked_out_in_another_worktree(repo: Repo, tmp_path: Path) -> None:
    linked = (tmp_path / "linked").resolve()
    repo.git("worktree", "add", "-q", "-b", "feature", str(linked))
    team = await merged(repo, "feature")
    assert await landing(repo, team, "feature") == Landed("feature", await team.head(), linked)
    assert repo.status(linked) == ""
    assert (linked / "a.txt").read_text() == "alice\n"


@pytest.mark.asyncio
async def test_a_detached_head_gets_a_command(repo: Repo) -> None:
    repo.git("switch", "-q", "--detach")
    team = await merged(repo, repo.head())
    held = await landing(repo, team, None)
    assert isinstance(held, Held)
    assert (held.kind, repo.head()) == ("detached", repo.git("rev-parse", "main"))
    await finish(repo, held)
    assert repo.head() == await team.head()


@pytest.mark.asyncio
@pytest.mark.parametrize("checked_out", [True, False])
async def test_a_branch_that_moved_is_merged_first(repo: Repo, checked_out: bool) -> None:
    team = await merged(repo)
    mine = repo.commit("meanwhile", **{"b.txt": "mine\n", ".gitignore": ".roocode\n"})
    if not checked_out:
        repo.git("switch", "-q", "--detach")
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert held.kind == "moved"
    assert repo.git("rev-parse", "main") == mine
    assert ("git switch main && git merge" in held.command) is not checked_out
    assert isinstance(await team.merge("main", "main"), Merged)
    assert isinstance(await landing(repo, team), Landed)
    assert repo.git("show", "main:b.txt") == "mine"
    assert repo.git("show", "main:a.txt") == "alice"


@pytest.mark.asyncio
async def test_a_commit_meanwhile_that_conflicts(repo: Repo) -> None:
    team = await merged(repo)
    mine = repo.commit("meanwhile", **{"a.txt": "mine\n", ".gitignore": ".roocode\n"})
    assert isinstance(await team.merge("main", "main"), Conflict)
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert (held.kind, repo.head(), repo.status()) == ("moved", mine, "")


@pytest.mark.asyncio
async def test_a_branch_that_is_gone(repo: Repo) -> None:
    repo.git("branch", "feature")
    team = await merged(repo, "feature")
    repo.git("branch", "-D", "feature")
    held = await landing(repo, team, "feature")
    assert isinstance(held, Held)
    assert held.kind == "gone"
    await finish(repo, held)
    assert repo.git("rev-parse", "feature") == await team.head()


@pytest.mark.asyncio
async def test_an_operation_or_a_lock_in_the_checkout(repo: Repo) -> None:
    team = await merged(repo)
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", **{"b.txt": "side\n", ".gitignore": ".roocode\n"})
    repo.git("switch", "-q", "main")
    repo.git("merge", "--no-ff", "--no-commit", "side")
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert (held.kind, held.reason) == ("busy", f"a merge is in progress in {repo.root}")
    repo.git("merge", "--abort")
    lock = repo.root / ".git" / "index.lock"
    lock.write_text("")
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert held.kind == "busy"
    assert "index.lock" in held.reason
    assert lock.exists()


@pytest.mark.asyncio
async def test_a_branch_that_is_being_rebased(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("feature", **{"b.txt": "feature\n", ".gitignore": ".roocode\n"})
    team = await merged(repo, "feature")
    repo.git("switch", "-q", "main")
    repo.commit("main", **{"b.txt": "main\n"})
    repo.git("switch", "-q", "feature")
    repo.git("rebase", "main", ok=(1,))
    before = repo.git("rev-parse", "feature")
    held = await landing(repo, team, "feature")
    assert isinstance(held, Held)
    assert (held.kind, repo.git("rev-parse", "feature")) == ("busy", before)


@pytest.mark.asyncio
async def test_files_behind_a_filter_are_left_to_the_persons_git(repo: Repo) -> None:
    repo.git("config", "--global", "filter.up.smudge", "tr a-z A-Z")
    repo.git("config", "--global", "filter.up.clean", "tr A-Z a-z")
    team = await merged(repo, **{".gitattributes": "*.up filter=up\n", "x.up": "text\n"})
    held = await landing(repo, team)
    assert isinstance(held, Held)
    assert (held.kind, held.paths) == ("filtered", ("x.up",))
    await finish(repo, held)
    assert (repo.root / "x.up").read_text() == "TEXT\n"


@pytest.mark.asyncio
async def test_hooks_of_the_person_do_not_run(repo: Repo, tmp_path: Path) -> None:
    hook = repo.root / ".git" / "hooks" / "post-merge"
    hook.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(tmp_path / 'ran'))}\n")
    hook.chmod(0o755)
    assert isinstance(await landing(repo, await merged(repo)), Landed)
    assert not (tmp_path / "ran").exists()


@pytest.mark.asyncio
async def test_a_cancel_waits_until_the_checkout_has_moved(repo: Repo) -> None:
    team = await merged(repo, **{f"f{number}": "x" * 2000 for number in range(400)})
    before = repo.head()
    task = asyncio.create_task(landing(repo, team))
    lock = repo.root / ".git" / "index.lock"
    assert await until(lambda: task.done() or lock.exists(), 10)
    task.cancel()
    await asyncio.wait({task})
    assert repo.head() == await team.head() != before
    assert repo.git("status", "--porcelain", "--untracked-files=no") == ""
