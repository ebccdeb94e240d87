"""Changing permissions or owners of everything below the root, the system or the home directory."""

from __future__ import annotations

from roocode.security.permissions.dangerous.targets import Surroundings, lost_tree, places
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names

_CHANGERS = names("chmod chown chgrp chattr setfacl chflags chcon xattr icacls setfattr gchmod gchown")
_HAS_VALUES = names("-m -x -M -X --modify --remove --reference --from -u -r -t")


_OFTEN_OWNED = (
    "/usr/local",
    "/opt/",
    "/srv/",
    "/mnt/",
    "/media/",
    "/var/www",
    "/Volumes/",
    "/Applications/",
    "/nix/",
)
"""Directories that people rightly make their own."""


def recursive_permissions(call: Call, around: Surroundings) -> str:
    """Why a call is refused for the permissions that it would change, or ""."""
    if call.name not in _CHANGERS:
        return ""
    parsed = parse_options(call.arguments, _HAS_VALUES if call.name in ("setfacl", "chcon") else ())
    recursive = any(
        name in ("-R", "-r") or (name.startswith("--rec") and "--recursive".startswith(name))
        for name, _ in parsed.options
    )
    for field in parsed.operands:
        root = not recursive and field.text.strip("/.") == "" and field.text.startswith("/")
        everything = field.live and field.text.endswith("*")
        if any(path.startswith(_OFTEN_OWNED) for path in places(field, call.cwds)):
            continue
        lost = lost_tree(field, call.cwds, around.home) if recursive or root or everything else ""
        if lost:
            return f"changes the permissions of {lost}"
    return ""
