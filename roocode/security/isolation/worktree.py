"""Worktrees for agents: made under one lock, and never removed with work in them.

The rules come from what other tools lost (issues named in the field's trackers: a branch deleted with
its worktree, a directory removed after git refused, a stale entry that blocks a branch): no global
prune, since it would drop entries of the person's own on an unmounted disk; a branch is taken over
only with the tip that we know; git refuses to remove worktrees with submodules, so the check is ours
and the removal forced; when git cannot remove a directory, nothing else tries.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from pathlib import Path

from roocode.protocol.errors import HostError, UserError
from roocode.security.isolation.place import Entry, Place, WorktreeState, parse_entries
from roocode.security.isolation.rescue import RESCUE, keep, refuse_inner_work, snapshot
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import operation, read_status

OURS = "roocode"
COMPLETE = "refs/worktree/roocode-complete"
LOCK_TIMEOUT_S = 120.0
TRIES = 6


class Worktrees:
    """The worktrees of one repository; `git` is rooted at its main worktree.

    `told` hears of each that was made ("worktree_created") or removed ("worktree_removed").
    """

    def __init__(self, git: Git, common_dir: Path) -> None:
        self.told: Callable[[str, Place], None] = lambda _event, _place: None
        self._git = git
        self._lock_file = common_dir / "roocode.lock"

    async def entries(self) -> tuple[Entry, ...]:
        """All worktrees, the main one first."""
        return parse_entries((await self._git("worktree", "list", "--porcelain", "-z")).out)

    async def tip(self, branch: str) -> str | None:
        """The commit of a branch, None where there is no such branch."""
        ref = f"refs/heads/{branch}^{{commit}}"
        found = await self._git("rev-parse", "--verify", "--quiet", ref, ok=(0, 1))
        return found.line or None

    async def state(self, place: Place, against: str) -> WorktreeState:
        """How a worktree stands, its branch counted against a ref. Changes nothing."""
        tip = await self.tip(place.branch)
        ahead = int((await self._git("rev-list", "--count", tip, f"^{against}")).line) if tip else 0
        if await self._entry(place.path) is None or not place.path.is_dir():
            return WorktreeState(None, None, ahead)
        git = self._git.at(place.path)
        return WorktreeState(await read_status(git), await operation(git), ahead)

    async def add(self, place: Place, *, base: str, reason: str, recorded_tip: str | None = None) -> Git:
        """Makes the worktree on a new branch at `base`, locked, and gives git in it.

        A worktree that an earlier `add` made is taken over with all that is in it. A branch without one,
        since its directory is lost or `add` was killed, is taken over only at `recorded_tip` or `base`.
        `reason` begins with "roocode" and says who uses it.
        Raises UserError when the path or the branch is somebody else's.
        """
        commit = (await self._git("rev-parse", "--verify", "--end-of-options", f"{base}^{{commit}}")).line
        async with self._alone():
            self._refuse_links(place.path)
            entry = await self._entry(place.path)
            if entry and place.path.is_dir() and await self._complete(place.path):
                await self._claim(entry, reason)
                return self._git.at(place.path)
            tip = await self.tip(place.branch)
            if tip not in (None, recorded_tip, commit):
                raise UserError(
                    f"there is a branch {place.branch} already, at {str(tip)[:12]}", "Choose another name."
                )
            if entry:
                await self._remove(entry, place, merged_into=tip or commit, force=True, keep_branch=True)
            if os.path.lexists(place.path) and not _empty(place.path):
                raise UserError(f"{place.path} is there already", "Move it away.")
            await self._create(place, commit if tip is None else None, reason)
            git = self._git.at(place.path)
            await git("update-ref", COMPLETE, "HEAD")
        self.told("worktree_created", place)
        return git

    async def remove(self, place: Place, *, merged_into: str, force: bool = False) -> tuple[str, ...]:
        """Removes a worktree that is clean and whose commits are all in `merged_into`, and its branch.

        With `force` what would be lost is first kept, and the rescue refs are returned.
        Raises UserError when it would lose work, is locked by somebody else, or is no worktree of ours.
        """
        async with self._alone():
            entry = await self._entry(place.path)
            if entry is None and os.path.lexists(place.path):
                raise UserError(f"{place.path} is no worktree of this repository", "Move it away yourself.")
            rescued = await self._remove(entry, place, merged_into=merged_into, force=force)
        if entry is not None:
            self.told("worktree_removed", place)
        return rescued

    async def _remove(
        self,
        entry: Entry | None,
        place: Place,
        *,
        merged_into: str,
        force: bool,
        keep_branch: bool = False,
    ) -> tuple[str, ...]:
        await self._refuse_foreign(entry, place)
        losses, unmerged = await self._losses(entry, place, merged_into)
        if losses and not force:
            raise UserError(
                f"{place.path} is kept: {'; '.join(losses)}",
                f"Commit and merge it, or use --force, which keeps it under {RESCUE}/{place.label}-….",
            )
        rescued = await self._rescue(entry, place, unmerged) if losses else ()
        if entry:
            if entry.locked is not None:
                await self._git("worktree", "unlock", str(entry.path))
            await self._git("worktree", "remove", "--force", str(entry.path))
        tip = await self.tip(place.branch)
        if tip and not keep_branch:
            await self._git("update-ref", "-d", f"refs/heads/{place.branch}", tip)
        return rescued

    async def _losses(
        self, entry: Entry | None, place: Place, merged_into: str
    ) -> tuple[list[str], list[str]]:
        """What a removal would lose, in words, and the commits that `merged_into` lacks."""
        losses: list[str] = []
        if entry and entry.path.is_dir():
            git = self._git.at(entry.path)
            await refuse_inner_work(git)
            status = await read_status(git)
            waiting = await operation(git)
            losses += [f"a {waiting} is under way"] if waiting else []
            losses += [f"uncommitted changes in {_some(status.tracked)}"] if status.tracked else []
            losses += [f"new files {_some(status.untracked)}"] if status.untracked else []
        heads = [head for head in (entry.head if entry else None, await self.tip(place.branch)) if head]
        unmerged = [head for head in dict.fromkeys(heads) if not await self._contains(merged_into, head)]
        losses += [f"commits that {merged_into} lacks, up to {head[:12]}" for head in unmerged]
        return losses, unmerged

    async def _rescue(self, entry: Entry | None, place: Place, unmerged: list[str]) -> tuple[str, ...]:
        commits = list(unmerged)
        if entry and entry.path.is_dir():
            git = self._git.at(entry.path)
            if not (await read_status(git)).clean or await operation(git):
                commits.insert(0, await snapshot(git, f"rescue: {place.label}"))
        return await keep(self._git, place.label, commits)

    async def _refuse_foreign(self, entry: Entry | None, place: Place) -> None:
        entries = await self.entries()
        if entry and entry.path == entries[0].path:
            raise UserError(f"{entry.path} is the main worktree", "It is never removed.")
        if entry and entry.locked is not None and not entry.locked.startswith(OURS):
            raise UserError(
                f"{entry.path} is locked: {entry.locked or 'no reason given'}",
                f"Unlock it: git worktree unlock {entry.path}",
            )
        for other in entries:
            if other.branch == place.branch and other.path != place.path:
                raise UserError(
                    f"the branch {place.branch} is checked out in {other.path}", "Switch it there first."
                )

    async def _complete(self, path: Path) -> bool:
        """Whether `add` came to its end here. The mark is a ref of this worktree alone, and goes with it."""
        git = self._git.at(path)
        return (await git("rev-parse", "--verify", "--quiet", COMPLETE, ok=(0, 1))).code == 0

    async def _claim(self, entry: Entry, reason: str) -> None:
        if entry.locked is not None and not entry.locked.startswith(OURS):
            return
        if entry.locked is not None:
            await self._git("worktree", "unlock", str(entry.path))
        await self._git("worktree", "lock", "--reason", reason, str(entry.path))

    async def _create(self, place: Place, new_at: str | None, reason: str) -> None:
        """`new_at` is the commit for a new branch, None where the branch is there."""
        new = ["--no-track", "-b", place.branch, str(place.path), new_at] if new_at else None
        target = new or [str(place.path), place.branch]
        for attempt in range(1, TRIES + 1):
            try:
                await self._git("worktree", "add", "--quiet", "--lock", "--reason", reason, *target)
            except HostError as error:
                if new_at:
                    await self._git("update-ref", "-d", f"refs/heads/{place.branch}", new_at, ok=(0, 1, 128))
                if attempt == TRIES or not _contended(error):
                    raise
                await asyncio.sleep(0.05 * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311
            else:
                return

    async def _entry(self, path: Path) -> Entry | None:
        wanted = path.resolve()
        return next((entry for entry in await self.entries() if entry.path == wanted), None)

    async def _contains(self, ref: str, commit: str) -> bool:
        return (await self._git("merge-base", "--is-ancestor", commit, ref, ok=(0, 1))).code == 0

    def _refuse_links(self, path: Path) -> None:
        if os.path.realpath(path.parent) != str(path.parent) or path.is_symlink():
            raise UserError(f"{path} leads through a symbolic link", "Remove the link.")

    def _alone(self) -> _Alone:
        return _Alone(self._lock_file)


class _Alone:
    """Holds a repository's lock, that this and other processes take to change its worktrees."""

    def __init__(self, path: Path) -> None:
        from filelock import AsyncFileLock

        self._lock = AsyncFileLock(
            path, timeout=LOCK_TIMEOUT_S, poll_interval=0.005, run_in_executor=False, fallback_to_soft=False
        )

    async def __aenter__(self) -> None:
        from filelock import Timeout

        try:
            await self._lock.acquire()
        except Timeout as error:
            raise HostError(
                f"another process holds {self._lock.lock_file} since {LOCK_TIMEOUT_S:.0f} s",
                "Look for a git that hangs.",
            ) from error

    async def __aexit__(self, *_: object) -> None:
        await self._lock.release()


def _empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _contended(error: HostError) -> bool:
    return "could not lock" in error.what or ".lock': File exists" in error.what


def _some(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:5])
    return shown if len(paths) <= 5 else f"{shown} and {len(paths) - 5} more"
