"""Writes that outlive a crash and a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def write_synced(path: Path, content: bytes, *, new: bool) -> None:
    """Writes a private file and waits until it is on disk; with `new` it must not exist yet.

    Raises OSError, and leaves whatever could be written.
    """
    existing = os.O_EXCL if new else os.O_TRUNC
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | existing, 0o600)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Waits until the renames in a directory are on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
