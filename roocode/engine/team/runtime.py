"""The private directory for what lives as long as its processes: wake sockets and handshakes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from roocode.protocol.errors import HostError

MAX_SOCKET_PATH = 103
LONGEST_NAME = 21


def runtime_directory(env: Mapping[str, str]) -> Path:
    """Under XDG_RUNTIME_DIR where a socket's path fits its address there, else in /tmp. Makes nothing."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    path = Path(runtime) / "roocode"
    fits = len(os.fsencode(path)) + 1 + LONGEST_NAME <= MAX_SOCKET_PATH
    if runtime and path.is_absolute() and path.parent.is_dir() and fits:
        return path
    return Path(f"/tmp/roocode-{os.getuid()}")  # noqa: S108


def own_directory(path: Path) -> Path:
    """Makes a directory that only this user can enter, or checks that it is one. Raises HostError."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise HostError(f"cannot create {path}: {error.strerror}") from error
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise HostError(
            f"{path} is not a private directory of this user",
            "Remove it, or set XDG_RUNTIME_DIR to a directory that only you can enter.",
        )
    return path
