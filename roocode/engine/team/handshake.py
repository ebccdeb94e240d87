"""What a teammate's process is given at its start: a private file, removed as soon as it is read.

Environment, keys and the first prompt never stand in `argv` and never come from the tmux server.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from roocode.engine.team.runtime import own_directory, runtime_directory
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen

SCHEMA = 1


@frozen
class Handshake:
    """All that a member needs to become itself.

    `key` (hex) signs what only the lead may say. `options` is what the application needs to build the agent;
    the team does not look into it. `resumed` tells that the transcript goes on.
    """

    team_dir: str
    member: str
    key: str = field(repr=False)
    prompt: str
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    resumed: bool = False


def directory(team_root: Path, env: Mapping[str, str]) -> Path:
    """A private directory for a team's handshakes, without what a lead that was killed left there.

    Only the holder of the lead's lock may call this. Raises HostError.
    """
    path = own_directory(_place(team_root, env))
    for left in path.iterdir():
        left.unlink(missing_ok=True)
    return path


def discard(team_root: Path, env: Mapping[str, str]) -> None:
    """Removes the directory, for the end of a lead and the clean-up of a team."""
    shutil.rmtree(_place(team_root, env), ignore_errors=True)


def write(handshake: Handshake, folder: Path) -> Path:
    """Writes the file, mode 0600, under a name that cannot be guessed; `folder` is private (0700)."""
    path = folder / f"{secrets.token_hex(8)}.json"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump({"schema": SCHEMA, **asdict(handshake)}, out)
    return path


def take(path: Path) -> Handshake:
    """Reads a handshake and removes it. Raises HostError where it is missing, not ours or not private."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise HostError(
            f"cannot read the handshake {path}: {error.strerror}",
            "a teammate is started by `roocode team`, not by hand",
        ) from error
    with os.fdopen(descriptor, encoding="utf-8") as source:
        status = os.fstat(source.fileno())
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise HostError(f"the handshake {path} is not private", "it must be mode 0600 and your own")
        value = json.load(source)
    path.unlink(missing_ok=True)
    if value.pop("schema", None) != SCHEMA:
        raise HostError("the handshake is of another version of RooCode", "end the team and start it again")
    return Handshake(**value)


def _place(team_root: Path, env: Mapping[str, str]) -> Path:
    name = hashlib.sha256(str(team_root.resolve()).encode()).hexdigest()[:16]
    return own_directory(runtime_directory(env)) / f"hs-{name}"
