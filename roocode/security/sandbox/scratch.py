"""The temporary directory of one agent: removed at its end, or by a later agent where it was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

_PREFIX = "roocode-"
_LOCK = "alive.lock"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Scratch:
    """A private directory with a lock that the kernel drops when this process dies, however it dies.

    `temporary` is for the agent and its commands, `spool` for their output, `blank` an empty file; commands
    may write neither the directory that holds these nor the spool.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        self._descriptor = _locked(self.path)
        self.temporary = self.path / "tmp"
        self.spool = self.path / "shell"
        self.blank = self.path / "blank"
        for folder in (self.temporary, self.spool):
            folder.mkdir(mode=0o700)
        self.blank.touch(mode=0o400)

    def remove(self) -> None:
        """Removes it with all in it; a second call does nothing."""
        if self._descriptor >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._descriptor)
            self._descriptor = -1


def _locked(folder: Path) -> int:
    """A locked file under a name that it gets only once it is locked."""
    fresh = folder / f"{_LOCK}.new"
    descriptor = os.open(fresh, _FILE | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.rename(fresh, folder / _LOCK)
    return descriptor


def sweep(area: Path | None = None) -> tuple[str, ...]:
    """Removes what killed agents of this user left in the directory for temporary files; gives the names.

    Only directories that hold our lock, with nobody holding it, are removed; no link is followed.
    """
    area = area or Path(tempfile.gettempdir())
    swept: list[str] = []
    with contextlib.suppress(OSError):
        within = os.open(area, _DIRECTORY)
        try:
            names = [name for name in os.listdir(within) if name.startswith(_PREFIX)]
            swept = [name for name in sorted(names) if _swept(name, within)]
        finally:
            os.close(within)
    return tuple(swept)


def _swept(name: str, within: int) -> bool:
    with contextlib.ExitStack() as stack:
        try:
            folder = os.open(name, _DIRECTORY, dir_fd=within)
            stack.callback(os.close, folder)
            lock = os.open(_LOCK, _FILE, dir_fd=folder)
            stack.callback(os.close, lock)
            if not _ours(folder) or not _ours(lock) or not stat.S_ISREG(os.fstat(lock).st_mode):
                return False
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(name, dir_fd=within)
        except OSError:
            return False
        return True


def _ours(descriptor: int) -> bool:
    return os.fstat(descriptor).st_uid == os.getuid()
