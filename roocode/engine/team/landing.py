"""Moves the person's branch to a verified result, in one step or not at all.

The checkout is moved by `git merge --ff-only`, which changes nothing when a change of theirs is in the
way, ignored files included; a branch that is checked out nowhere by `update-ref` with the old value.
Never a reset. The person's hooks do not run (`post-merge` neither): the commits exist already and are
theirs to inspect. Files behind a content filter are left to the person's own git.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.engine.team.finishing import to_the_end
from roocode.engine.team.leftovers import filtered_paths
from roocode.engine.team.merge import contains
from roocode.protocol.frozen import frozen
from roocode.security.isolation.place import Entry
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git import Git, GitResult
from roocode.security.sandbox.git_status import operation


@frozen
class Landed:
    """`branch` stands at the result; `checkout` is the worktree that moved with it, if any."""

    branch: str
    commit: str
    checkout: Path | None


@frozen
class Held:
    """Nothing was touched, for this reason; `command` finishes it by hand, `paths` are in the way.

    "moved" means that the branch has commits that the result lacks: merge them, verify, land again.
    """

    kind: Literal["detached", "gone", "moved", "busy", "dirty", "filtered"]
    reason: str
    command: str
    paths: tuple[str, ...] = ()


Landing: TypeAlias = Landed | Held


@frozen
class Result:
    """A verified commit, the branch that names it, and git in the worktree that has it."""

    commit: str
    branch: str
    git: Git


async def land(worktrees: Worktrees, result: Result, *, branch: str | None, checkout: Path) -> Landing:
    """Moves `branch` to the result; `branch` is None when the team began at a detached HEAD in `checkout`."""
    if branch is None:
        return Held("detached", "the team began at a detached HEAD", _fast_forward(checkout, result))
    tip = await worktrees.tip(branch)
    if tip is None:
        command = shlex.join(["git", "branch", branch, result.branch])
        return Held("gone", f"there is no branch {branch} any more", command)
    entries = [entry for entry in await worktrees.entries() if entry.path.is_dir()]
    holder = next((entry for entry in entries if entry.branch == branch), None)
    if not await contains(result.git, result.commit, tip):
        return _moved(branch, holder, result)
    if holder:
        return await _in_checkout(result, branch, tip, result.git.at(holder.path))
    for entry in entries:
        if await _rebases(result.git.at(entry.path), branch):
            reason = f"{branch} is being rebased in {entry.path}"
            return Held("busy", reason, shlex.join(["git", "merge", result.branch]))
    note = f"roocode: fast-forward to {result.branch}"
    moved = await result.git(
        "update-ref", "-m", note, f"refs/heads/{branch}", result.commit, tip, ok=(0, 1, 128)
    )
    return _moved(branch, None, result) if moved.code else Landed(branch, result.commit, None)


async def _in_checkout(result: Result, branch: str, tip: str, git: Git) -> Landing:
    finish = _fast_forward(git.cwd, result)
    under_way = await operation(git)
    if under_way:
        return Held("busy", f"a {under_way} is in progress in {git.cwd}", finish)
    changed = (await result.git("diff", "--name-only", "--no-renames", "-z", tip, result.commit)).fields
    filtered = await filtered_paths(git, changed) | await filtered_paths(result.git, changed)
    if filtered:
        reason = "files go through a content filter, which our git does not run"
        return Held("filtered", reason, finish, tuple(sorted(filtered)))
    command = ("merge", "--ff-only", "--no-overwrite-ignore", "--quiet", result.commit)
    done = await to_the_end(git(*command, ok=(0, 1, 2, 128)))
    if done.code == 0:
        return Landed(branch, result.commit, git.cwd)
    paths = _in_the_way(done)
    if paths:
        return Held("dirty", f"uncommitted changes in {git.cwd} are in the way", finish, paths)
    return Held("busy", f"git could not move {branch}: {done.err.strip()}", finish)


def _moved(branch: str, holder: Entry | None, result: Result) -> Held:
    merge = ["git", *(["-C", str(holder.path)] if holder else []), "merge", result.branch]
    switch = [] if holder else [shlex.join(["git", "switch", branch])]
    reason = f"{branch} has commits that {result.branch} lacks"
    return Held("moved", reason, " && ".join([*switch, shlex.join(merge)]))


def _fast_forward(checkout: Path, result: Result) -> str:
    return shlex.join(["git", "-C", str(checkout), "merge", "--ff-only", result.branch])


def _in_the_way(done: GitResult) -> tuple[str, ...]:
    """The paths in git's "would be overwritten by merge" or "would be removed by merge"."""
    return tuple(line.strip() for line in done.err.splitlines() if line.startswith("\t"))


async def _rebases(git: Git, branch: str) -> bool:
    git_dir = Path((await git("rev-parse", "--absolute-git-dir")).line)
    names = (git_dir / folder / "head-name" for folder in ("rebase-merge", "rebase-apply"))
    return any(name.is_file() and name.read_text().strip() == f"refs/heads/{branch}" for name in names)
