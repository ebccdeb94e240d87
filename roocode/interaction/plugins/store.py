"""The folder of installed plugins: one process changes it at a time, and what a killed one left is swept."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roocode.interaction.config.places import Places
from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private, require_own

LOCK_TIMEOUT_S = 10.0
NEW, OLD = ".new-", ".old-"
_PAUSE_S = 0.01
_MEND = "set ROOCODE_HOME to a directory on a local disk"


@contextmanager
def holding(places: Places) -> Iterator[Path]:
    """Holds the folder, which is made and, when nothing is left in it, removed.

    The lock is on the folder itself, so that no file of it stays behind. Raises HostError where another
    process holds it too long, or others could write there.
    """
    descriptor = _locked(places)
    try:
        require_own(places.plugins)
        _sweep(places.plugins)
        yield places.plugins
    finally:
        for folder in (places.plugins, places.home):
            with suppress(OSError):
                folder.rmdir()
        os.close(descriptor)


@contextmanager
def staging(places: Places) -> Iterator[Path]:
    """An empty folder beside the plugins, which is gone afterwards; a killed process's is swept later."""
    with holding(places) as plugins:
        folder = plugins / f"{NEW}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        with suppress(HostError), holding(places):
            shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def discard(folder: Path) -> None:
    """Removes a folder: at once out of effect, then file by file."""
    old = folder.with_name(f"{OLD}{secrets.token_hex(8)}")
    folder.rename(old)
    drop(old)


def drop(path: Path) -> None:
    """Removes a file, a link or a folder with all that is in it; what resists stays for the next sweep."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _locked(places: Places) -> int:
    """An open descriptor of the folder that holds its lock; the folder at that path, not one removed."""
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while time.monotonic() < deadline:
        make_private(places.plugins)
        try:
            descriptor = os.open(places.plugins, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_same(descriptor, places.plugins):
                return descriptor
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        except OSError as error:
            os.close(descriptor)
            raise HostError(f"{places.plugins} cannot be locked: {error.strerror}", _MEND) from error
        os.close(descriptor)
    raise HostError(f"{places.plugins} is held by another process", "try again when it has ended")


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def _sweep(plugins: Path) -> None:
    """Removes what no living process works on."""
    for folder in plugins.iterdir():
        if folder.name.startswith(OLD):
            drop(folder)
        elif folder.name.startswith(NEW):
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(descriptor)
