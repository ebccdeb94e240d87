"""Locks that are held for a process's whole life: who is alive is a question to the kernel."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from roocode.protocol.errors import HostError

POLL_S = 0.005


class AlreadyHeld(HostError):
    """Another process lives under this lock."""


class Held:
    """A lock that is ours until `release` or the end of the process, however it ends.

    A plain descriptor: no garbage collection lets go of it, and programs that we start do not inherit it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Lets go; the file stays, since unlinking it would let a second holder in."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class LifeLock:
    """A `flock` on a file that holds the pid of its holder.

    The system call itself and not filelock's FileLock, because whether it is held must be asked with a
    shared lock: with exclusive ones, two who ask at the same moment would each take the other for a holder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def hold(self, patience_s: float = 0.25) -> Held:
        """Takes the lock, waiting out those who only ask. Raises AlreadyHeld, or HostError."""
        deadline = time.monotonic() + patience_s
        while True:
            descriptor = self._create()
            if _try_lock(descriptor, fcntl.LOCK_EX) and self._is_current(descriptor):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                return Held(descriptor)
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise AlreadyHeld(f"{self.path} is held by process {holder or 'unknown'}")
            time.sleep(POLL_S)

    def is_held(self) -> bool:
        """Whether a living process holds it. Takes it shared for a moment, which disturbs nobody."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise HostError(f"cannot open {self.path}: {error.strerror}") from error
        try:
            return not _try_lock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def holder(self) -> int | None:
        """The pid of the living process that holds it, None where none does."""
        if not self.is_held():
            return None
        text = self.path.read_text("ascii", "replace").strip()
        return int(text) if text.isdecimal() else None

    def _create(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise HostError(f"cannot open {self.path}: {error.strerror}") from error

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
