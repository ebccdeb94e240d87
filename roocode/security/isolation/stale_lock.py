"""What a killed agent leaves in a worktree: a git that works on, or the `index.lock` of one that died."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from roocode.security.sandbox.git import Git
from roocode.security.sandbox.process import until

OLD_S = 1.0
OLD_UNSEEN_S = 600.0
PATIENCE_S = 3.0
_PROC = Path("/proc")


async def clear_stale_lock(git: Git, patience_s: float = PATIENCE_S) -> bool:
    """Removes the worktree's `index.lock` when it is old and nobody holds it; says whether it did.

    Held means that a process has it open, or that a git runs in the worktree: during a hook git keeps the
    lock without having it open. Where processes cannot be seen (no /proc), only age tells. A lock that is
    young or held is given `patience_s` seconds to go. To be called by whoever owns the worktree.
    """
    lock = Path((await git("rev-parse", "--absolute-git-dir")).line) / "index.lock"
    settled = await until(lambda: not lock.exists() or _stale(lock, git.cwd), patience_s)
    if not settled or not lock.exists():
        return False
    lock.unlink(missing_ok=True)
    return True


async def wait_for_quiet(git: Git, patience_s: float = PATIENCE_S) -> bool:
    """Waits until no git runs in the worktree; says whether that is so.

    One whose agent was killed works on to its end, since it leads a session of its own.
    """
    return await until(lambda: not any(_is_git_in(process, git.cwd) for process in _processes()), patience_s)


def _stale(lock: Path, worktree: Path) -> bool:
    try:
        age = time.time() - lock.lstat().st_mtime
    except FileNotFoundError:
        return False
    return age > (OLD_S if _PROC.is_dir() else OLD_UNSEEN_S) and not _held(lock, worktree)


def _held(lock: Path, worktree: Path) -> bool:
    return any(_has_open(process, lock) or _is_git_in(process, worktree) for process in _processes())


def _processes() -> list[Path]:
    return [entry for entry in _PROC.iterdir() if entry.name.isdigit()] if _PROC.is_dir() else []


def _has_open(process: Path, lock: Path) -> bool:
    with contextlib.suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(descriptor) == str(lock):
                    return True
    return False


def _is_git_in(process: Path, worktree: Path) -> bool:
    try:
        name = (process / "comm").read_text().strip()
        return name.startswith("git") and Path(os.readlink(process / "cwd")).is_relative_to(worktree)
    except OSError:
        return False
