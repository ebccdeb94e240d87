"""What our git may use to fetch: few protocols, and of the person's own settings what reaches a host."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git_pins import Settings
from roocode.security.sandbox.git_user import UserConfig
from roocode.security.sandbox.process import find_program, outside_folders

Reach: TypeAlias = Literal["host", "disk"]

_PROTOCOLS: Mapping[Reach, str] = {"host": "https:ssh", "disk": "file"}


@frozen
class Transport:
    """Settings and variables that lift the ban on fetching, for the protocols of one reach.

    `serving` is the program that answers for a repository on this disk, pinned: it reads that repository's
    configuration, and git hands none of our settings on to it.
    """

    settings: Settings = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    serving: str = ""


def transport(
    reach: Reach, program: str, user: UserConfig, environ: Mapping[str, str], *, outside: Path
) -> Transport:
    """Fetching from hosts by https and ssh, as the person's git would, or from this disk.

    Helpers and ssh are the person's, never those of a project: PATH is without what lies in `outside`.
    """
    variables = {
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS[reach],
        "GIT_NO_LAZY_FETCH": "1",
        "PATH": os.pathsep.join(outside_folders(environ, outside)) or os.defpath,
    }
    if reach == "disk":
        return Transport((), variables, _serving(program))
    ssh = (
        environ.get("GIT_SSH_COMMAND")
        or _quoted(environ.get("GIT_SSH"))
        or dict(user.reaching).get("core.sshcommand")
    )
    ssh = ssh or _quoted(find_program("ssh", environ, outside=outside)) or "ssh"
    own = tuple(each for each in user.reaching if each[0] != "core.sshcommand")
    return Transport((*own, ("core.sshCommand", ssh)), variables)


def _quoted(program: str | None) -> str:
    return shlex.quote(program) if program else ""


def _serving(program: str) -> str:
    """`git upload-pack` that runs nothing and fetches nothing, whatever the repository says."""
    pins = "-c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.allow=never"
    return f"GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 {shlex.quote(program)} {pins} upload-pack"
