"""Merges members' branches into the integration worktree, which is clean before and after.

A merge is first tried without any worktree (`git merge-tree`); only one without conflict is made. While
the worktree changes, a ref of that worktree alone says so, and what a killed lead left is taken back
when the next one opens it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import combinations
from typing import TypeAlias

from roocode.engine.team.conflict import Conflict, find_conflict, merge_trees
from roocode.engine.team.finishing import to_the_end
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.place import Place
from roocode.security.isolation.stale_lock import clear_stale_lock, wait_for_quiet
from roocode.security.isolation.worktree import Worktrees
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import operation, read_status

BUSY = "refs/worktree/roocode-busy"
PATHS_A_CALL = 200


@frozen
class Merged:
    """A branch was merged by the commit `commit`."""

    name: str
    commit: str


@frozen
class NothingToMerge:
    """A branch counts as merged for the reason that `note` says: no commits, or already contained."""

    name: str
    note: str


MergeOutcome: TypeAlias = Merged | NothingToMerge | Conflict


@frozen
class Clash:
    """Two members whose branches conflict in these paths."""

    pair: frozenset[str]
    paths: tuple[str, ...]


@frozen
class TakenIn:
    """What came of merging others' work: whose is in, the conflict that is left to resolve, whose waits."""

    merged: tuple[str, ...]
    conflict: Conflict | None = None
    waiting: tuple[str, ...] = ()


@frozen
class Integrator:
    """The integration worktree of a team: `git` is rooted in it, `base` is the commit the team began at."""

    git: Git
    branch: str
    base: str

    @classmethod
    async def open(cls, worktrees: Worktrees, place: Place, *, base: str, reason: str) -> Integrator:
        """Makes the worktree, or takes it over and takes back a merge that was cut off."""
        tip = await worktrees.tip(place.branch)
        git = await worktrees.add(place, base=base, reason=reason, recorded_tip=tip)
        integrator = cls(git, place.branch, base)
        await wait_for_quiet(git)
        await integrator.recover()
        return integrator

    async def head(self) -> str:
        """The commit that holds all merges so far."""
        return (await self.git("rev-parse", "HEAD")).line

    async def merge(self, name: str, branch: str) -> MergeOutcome:
        """Merges a branch under its own merge commit, `merge: <name>`; on a conflict nothing changes.

        Raises HostError when the branch is gone or the integration worktree is not clean.
        """
        await self._require_clean()
        tip = (await self.git("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}")).line
        if await contains(self.git, "HEAD", tip):
            empty = await contains(self.git, self.base, tip)
            return NothingToMerge(
                name, f"{branch} has no commits" if empty else f"{branch} is merged already"
            )
        conflict = await find_conflict(self.git, (self.branch, await self.head()), (name, tip))
        if conflict:
            return conflict
        async with self._busy(tip):
            await self.git("merge", "--no-ff", "--quiet", "-s", "ort", "-m", f"merge: {name}", tip)
        return Merged(name, await self.head())

    async def merged(self, branches: Mapping[str, str]) -> frozenset[str]:
        """Those members whose branches, as they stand now, are contained in the integration branch."""
        inside: set[str] = set()
        for name, branch in branches.items():
            ref = f"refs/heads/{branch}"
            tip = await self.git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", ok=(0, 1))
            if tip.line and await contains(self.git, "HEAD", tip.line):
                inside.add(name)
        return frozenset(inside)

    async def forecast(self, branches: Mapping[str, str]) -> tuple[Clash, ...]:
        """Which pairs of members' branches conflict, were they merged one after the other now."""
        clashes: list[Clash] = []
        for (one, branch), (other, rival) in combinations(branches.items(), 2):
            paths = (await merge_trees(self.git, f"refs/heads/{branch}", f"refs/heads/{rival}")).paths
            if paths:
                clashes.append(Clash(frozenset({one, other}), paths))
        return tuple(clashes)

    @asynccontextmanager
    async def scratch(self) -> AsyncIterator[None]:
        """What a verify command writes in the block is taken away again: tracked files and new ones.

        Ignored files stay. Raises HostError when there is work in the worktree that is not committed.
        """
        await self._require_clean()
        before = (await read_status(self.git)).untracked
        try:
            async with self._busy("HEAD"):
                yield
        finally:
            now = (await read_status(self.git)).untracked
            new = [path for path in now if path not in before and not path.endswith("/")]
            for start in range(0, len(new), PATHS_A_CALL):
                await self.git("clean", "--force", "--quiet", "--", *new[start : start + PATHS_A_CALL])

    async def recover(self) -> None:
        """Takes back what a merge or verification that was cut off left in tracked files.

        First to the tree that the merge would have made, so that files it had written already are known to
        git, then back to the last commit.
        """
        await clear_stale_lock(self.git)
        busy = await self.git("rev-parse", "--verify", "--quiet", BUSY, ok=(0, 1))
        if busy.code:
            return
        if not await contains(self.git, "HEAD", busy.line):
            tree = (await merge_trees(self.git, "HEAD", busy.line)).tree
            await self.git("read-tree", "--reset", "-u", tree)
        await self.git("read-tree", "--reset", "-u", "HEAD")
        await self.git("merge", "--quit")
        await self.git("update-ref", "-d", BUSY)

    @asynccontextmanager
    async def _busy(self, target: str) -> AsyncIterator[None]:
        try:
            await self.git("update-ref", BUSY, target)
            yield
        finally:
            await to_the_end(self.recover())

    async def _require_clean(self) -> None:
        status = await read_status(self.git)
        if status.branch != self.branch:
            raise HostError(
                f"the integration worktree {self.git.cwd} is on {status.branch or 'a detached HEAD'}",
                f"git -C {self.git.cwd} switch {self.branch}",
            )
        if status.tracked or await operation(self.git):
            raise HostError(
                f"the integration worktree {self.git.cwd} has work that is not committed: "
                f"{', '.join(status.tracked) or 'a merge'}",
                "Commit it first.",
            )


async def merge_into(git: Git, name: str, others: Sequence[tuple[str, str]]) -> TakenIn:
    """Merges others' work into the worktree of member `name`; `others` are names and commits, in order.

    A conflict is left there in progress, as the claimant's first work; those behind it wait and are to be
    merged by another call. Raises HostError when an operation is in progress there already, or changes
    that are not committed are in the way.
    """
    under_way = await operation(git)
    if under_way:
        raise HostError(
            f"a {under_way} is in progress in {git.cwd}", "Conclude it first: git add, git commit."
        )
    merged: list[str] = []
    for position, (other, commit) in enumerate(others, 1):
        head = (await git("rev-parse", "HEAD")).line
        conflict = await find_conflict(git, (name, head), (other, commit))
        message = f"merge: {other} into {name}"
        command = ("merge", "--no-ff", "--quiet", "-s", "ort", "-m", message, commit)
        if conflict is None:
            await git(*command)
            merged.append(other)
            continue
        done = await git(*command, ok=(1,))
        if await operation(git) != "merge":
            raise HostError(
                f"{other} cannot be merged into {git.cwd}: {done.err.strip() or done.out.strip()}"
            )
        return TakenIn(tuple(merged), conflict, tuple(name for name, _ in others[position:]))
    return TakenIn(tuple(merged))


async def contains(git: Git, ref: str, commit: str) -> bool:
    """Whether a ref's history holds a commit."""
    return (await git("merge-base", "--is-ancestor", commit, ref, ok=(0, 1))).code == 0
