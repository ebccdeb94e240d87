"""Commits what is left in a member's worktree, and names what it leaves there."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from roocode.protocol.frozen import frozen
from roocode.security.isolation.stale_lock import clear_stale_lock
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import Status, operation, read_status

_NEVER = frozenset({".git", ".roocode"})


@frozen
class Leftovers:
    """What came of it: `commit` is the new one, or None where there was nothing to commit.

    `named` are paths that stay uncommitted: new files that no tool of the member wrote, our own and git's
    files, submodules and repositories inside, and files behind a content filter.
    `blocked` says why nothing could be committed, "" otherwise.
    """

    commit: str | None = None
    committed: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    blocked: str = ""


async def commit_leftovers(git: Git, *, branch: str, message: str, written: Collection[Path]) -> Leftovers:
    """Commits tracked changes, and those new files that are in `written` (absolute or from the root).

    `git` is rooted at the worktree. Runs no hooks and does not sign. A merge whose conflicts are resolved
    and added is concluded; one with conflicts, another operation, or another branch than `branch` is left
    alone and told. Raises HostError when the worktree is gone or git fails.
    """
    await clear_stale_lock(git)
    status = await read_status(git)
    waiting = await operation(git)
    blocked = _blocked(status, waiting, branch)
    if blocked:
        return Leftovers(named=status.untracked, blocked=blocked)
    wanted, unstage, named = await _sort(git, status, _relative(git.cwd, written))
    if unstage and waiting is None:
        paths = "\0".join(unstage)
        await git("reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=paths)
    if wanted:
        await git("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin="\0".join(wanted))
    changed = (await git("diff", "--cached", "--name-only", "--no-renames", "-z")).fields
    if not changed and waiting is None:
        return Leftovers(named=named)
    await git("commit", "--quiet", "--no-verify", "--cleanup=whitespace", "-F", "-", stdin=message)
    head = (await git("rev-parse", "HEAD")).line
    return Leftovers(head, tuple(changed), tuple(path for path in named if path not in changed))


def _blocked(status: Status, waiting: str | None, branch: str) -> str:
    if status.unmerged:
        return f"conflicts are not resolved in {', '.join(status.unmerged)} (resolve them, then git add)"
    if waiting not in (None, "merge"):
        return f"a {waiting} is in progress"
    if status.branch != branch:
        return f"the worktree is on {status.branch or 'a detached HEAD'}, not on its branch {branch}"
    return ""


async def _sort(
    git: Git, status: Status, written: Collection[str]
) -> tuple[list[str], list[str], tuple[str, ...]]:
    """The paths to add, those to take out of the index again, and those to name.

    A merge may rightly bring our own files and submodules, so there the index is left as it is.
    """
    edited = [change for change in status.changes if change.unstaged != "."]
    new = [path for path in status.untracked if path in written]
    barred = {change.path for change in status.changes if change.submodule or _is_ours(change.path)}
    unstage = [change.path for change in status.changes if change.path in barred and change.staged != "."]
    candidates = [*(change.path for change in edited), *new]
    barred |= {path for path in new if _is_ours(path) or path.endswith("/")}
    barred |= await filtered_paths(git, candidates)
    wanted = [path for path in candidates if path not in barred]
    named = {*barred, *status.untracked}.difference(wanted)
    return wanted, unstage, tuple(sorted(named))


async def filtered_paths(git: Git, paths: Collection[str]) -> frozenset[str]:
    """Those paths whose content goes through a filter that the person or the repository defines."""
    if not paths or not git.user.filters:
        return frozenset()
    fields = (await git("check-attr", "-z", "--stdin", "filter", stdin="\0".join(paths))).fields
    triples = zip(fields[::3], fields[2::3], strict=True)
    return frozenset(path for path, name in triples if name in git.user.filters)


def _relative(root: Path, written: Collection[Path]) -> frozenset[str]:
    absolute = (root / path for path in written)
    return frozenset(path.relative_to(root).as_posix() for path in absolute if path.is_relative_to(root))


def _is_ours(path: str) -> bool:
    return any(part.casefold() in _NEVER for part in PurePosixPath(path).parts)
