"""Reads instruction files: small regular files inside one directory, and nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from roocode.security.permissions.secret_files import holds_secrets

LARGEST = 256 * 1024
"""Bytes of a file that are read; the largest of 754 that were looked at has 144 kB."""


def read_inside(path: Path, root: Path) -> str | None:
    """The text of a file that really lies below `root`; None where there is none.

    Links are followed before that is judged, and files that hold secrets are none. A byte order mark goes,
    bytes that are no UTF-8 are replaced, what is beyond LARGEST is left out with a word on it. A pipe or
    device is never read.
    """
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve()) or holds_secrets(str(real)):
            return None
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, RuntimeError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    text = data[:LARGEST].decode("utf-8-sig", "replace")
    return (
        text if len(data) <= LARGEST else f"{text}\n[… the rest of this file is left out: it is too long …]"
    )
