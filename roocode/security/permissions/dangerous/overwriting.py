"""Writing over disks and over the files that the system lives on."""

from __future__ import annotations

from roocode.security.permissions.dangerous.targets import lost_file, places
from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names

_ONLY_TOUCHES = names("mkdir touch chmod chown chgrp chattr setfacl xattr")
_APPENDING = names("-a --append")


def overwriting(call: Call, effect: Effect) -> str:
    """Why a call is refused for the files that it would write, or ""."""
    for target in call.targets:
        if target.writes and (lost := lost_file(target.path, call.cwds, appends=target.appends)):
            return f"writes over {lost}"
    if call.name in _ONLY_TOUCHES or (call.name in ("find",) and not effect.writes):
        return ""
    appends = call.name == "tee" and not _APPENDING.isdisjoint(call.texts)
    for field in effect.writes:
        if lost := lost_file(field, call.cwds, appends=appends):
            return f"writes over {lost}"
        if call.name in ("cp", "mv", "install", "ln") and (lost := _into_directory(call)):
            return f"writes over {lost}"
    return ""


def _into_directory(call: Call) -> str:
    """`cp passwd /etc/`: the name of the source decides what is written over."""
    parsed = parse_options(call.arguments, names("-t -m -o -g -S --target-directory --mode"))
    given = parsed.values("-t", "--target-directory")
    operands = [*parsed.operands, *given]
    if len(operands) < 2:
        return ""
    for source in operands[:-1]:
        name = source.text.rstrip("/").rpartition("/")[2]
        for directory in places(operands[-1], call.cwds):
            if lost := lost_file(source.with_text(f"{directory}/{name}"), call.cwds):
                return lost
    return ""
