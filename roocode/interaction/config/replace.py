"""Changes a small file of ours as one step, one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private

LOCK_TIMEOUT_S = 10.0


@contextmanager
def held(lock: Path) -> Iterator[None]:
    """Holds a kernel lock, so that two processes never change configuration or trust at once.

    Raises HostError where it is not free within LOCK_TIMEOUT_S.
    """
    from filelock import FileLock, Timeout

    make_private(lock.parent)
    try:
        with FileLock(lock, timeout=LOCK_TIMEOUT_S, poll_interval=0.005):
            yield
    except Timeout as error:
        raise HostError(f"{lock} is held by another process", "try again when it has ended") from error


def replace_file(path: Path, content: bytes, *, mode: int) -> None:
    """Writes a file so that a reader sees the old or the new content, never a mix.

    `mode` is for a new file; an old one keeps its own. Raises HostError where the disk refuses, and for a
    file that its owner has made read-only.
    """
    from roocode.security.sandbox.replacing import replace_path

    try:
        if path.exists() and not path.stat().st_mode & 0o200:
            raise HostError(f"{path} is read-only", f"make it writable: chmod u+w {path}")
        replace_path(path, content, mode=mode)
    except OSError as error:
        raise HostError(
            f"cannot write {path}: {error.strerror}", "check the disk and the permissions"
        ) from error
