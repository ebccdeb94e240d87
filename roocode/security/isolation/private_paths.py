"""Files and directories that only their owner may change: what RooCode believes, and where keys are kept.

The judgement is that of OpenSSH's StrictModes: whoever can write a file, or a directory above it, decides
what it says. A group that has the name of its user counts as that user (`USERGROUPS_ENAB`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from roocode.protocol.errors import HostError

PRIVATE = 0o700


def make_private(folder: Path) -> None:
    """Makes a directory and those above it that are missing, each for its owner alone; raises HostError."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        try:
            path.mkdir(mode=PRIVATE, exist_ok=True)
        except OSError as error:
            raise HostError(
                f"cannot make {path}: {error.strerror}", "set ROOCODE_HOME to a directory of yours"
            ) from error


def require_own(path: Path) -> None:
    """Raises HostError where others could change what stands at `path`; what is missing is no flaw."""
    flaw = next(_flaws(path), "")
    if flaw:
        raise HostError(
            f"{path} is not believed: {flaw}",
            "take the right to write away from others (chmod go-w), or set ROOCODE_HOME to a place of yours",
        )


def _flaws(path: Path) -> Iterator[str]:
    try:
        status = path.stat()
    except FileNotFoundError:
        pass
    except OSError as error:
        yield f"it cannot be looked at ({error.strerror})"
    else:
        if status.st_uid not in (os.getuid(), 0):
            yield f"it belongs to user {status.st_uid}"
        if others := _writers(status):
            yield f"{others} may write it"
    for folder in Path(os.path.abspath(path)).parents:
        try:
            status = folder.stat()
        except OSError:
            continue
        if not status.st_mode & stat.S_ISVTX and (others := _writers(status)):
            yield f"{others} may write {folder}"


def _writers(status: os.stat_result) -> str:
    """Who besides the owner may write: "everybody", a group, or "" for nobody."""
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid):
        return f"group {status.st_gid}"
    return ""


def _is_private_group(number: int) -> bool:
    """Whether a group is root's, or this user's own: of the same name, with nobody else in it."""
    import grp
    import pwd

    if number == 0:
        return True
    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
