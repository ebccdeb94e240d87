"""The effect of any call: which table knows the program, and what is said of one that none knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roocode.security.permissions.effects.changing_tools import CHANGING_TOOLS
from roocode.security.permissions.effects.file_tools import FILE_TOOLS, find_effect, test_effect
from roocode.security.permissions.effects.git_tools import git_effect
from roocode.security.permissions.effects.probes import is_probe
from roocode.security.permissions.effects.script_tools import (
    archive_effect,
    awk_effect,
    jq_effect,
    sed_effect,
)
from roocode.security.permissions.effects.spec import Effect, Spec, judge
from roocode.security.permissions.effects.system_tools import SYSTEM_TOOLS
from roocode.security.permissions.effects.text_tools import TEXT_TOOLS
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import Field
from roocode.security.permissions.shell.wrappers import TRANSPARENT

_SPECIAL: Mapping[str, Callable[[Call], Effect]] = {
    "find": find_effect,
    "gfind": find_effect,
    "test": test_effect,
    "[": test_effect,
    "git": git_effect,
    "sed": sed_effect,
    "gsed": sed_effect,
    "awk": awk_effect,
    "gawk": awk_effect,
    "mawk": awk_effect,
    "nawk": awk_effect,
    "jq": jq_effect,
    "yq": jq_effect,
}
_READING: Mapping[str, Spec] = {**TEXT_TOOLS, **SYSTEM_TOOLS, **FILE_TOOLS}
_IGNORING = names("echo true false :")
"""Builtins to which whatever they are given is only text."""
_XARGS_PLAIN = names(
    "-0 -r -t -n -L -I -P -d -E -s -i -x --null --no-run-if-empty --max-args --max-lines --max-procs "
    "--delimiter --replace --verbose"
)
_XARGS_VALUES = names("-n -L -I -P -d -E -s --max-args --max-lines --max-procs --delimiter --replace")
_TRANSPARENT_PLAIN: Mapping[str, frozenset[str]] = {
    "time": names("-p"),
    "timeout": names("-s -k -v --signal --kill-after --preserve-status --foreground"),
    "command": names("-p"),
    "builtin": frozenset(),
}


def effect_of(call: Call) -> Effect:
    """What a call does to files; `unproven` is "" only for a known program with known options."""
    name = call.name
    if not call.argv or is_probe(call):
        return Effect("")
    if name in _IGNORING:
        return Effect("")
    if name == "printf":
        return _prints(call)
    if name in TRANSPARENT or name in ("xargs", "gxargs"):
        return Effect(_wraps(call))
    if name in _SPECIAL:
        return _SPECIAL[name](call)
    if name in ("tar", "unzip") and (listing := archive_effect(call)):
        return listing
    if name in _READING:
        effect = judge(call, _READING[name])
        if effect.unproven and name in CHANGING_TOOLS:
            paths = judge(call, CHANGING_TOOLS[name])
            return Effect(effect.unproven, paths.reads, paths.writes)
        return effect
    if name == "dd":
        return _dd(call)
    if name in CHANGING_TOOLS:
        return judge(call, CHANGING_TOOLS[name])
    return Effect(f"{name or 'a program that is not known'}: not known only to read", _path_like(call))


def _prints(call: Call) -> Effect:
    sets_variable = call.texts[:1] and call.texts[0].startswith("-v")
    return Effect("printf: sets a variable" if sets_variable else "")


def _wraps(call: Call) -> str:
    """Whether a wrapper adds nothing of its own; what it runs is judged beside it."""
    if call.name in ("xargs", "gxargs"):
        plain, with_value = _XARGS_PLAIN, _XARGS_VALUES
    elif call.name in _TRANSPARENT_PLAIN:
        plain = _TRANSPARENT_PLAIN[call.name]
        with_value = names("-s -k --signal --kill-after")
        asks = call.name == "command" and parse_options(call.arguments, leading=True).has("-v", "-V")
        if asks:
            return ""
    else:
        return f"{call.name}: runs another program"
    parsed = parse_options(call.arguments, with_value, leading=True)
    strange = [name for name, _ in parsed.options if name not in plain]
    return f"{call.name}: the option {strange[0]} is not known to be harmless" if strange else ""


def _dd(call: Call) -> Effect:
    pairs = [(field, *field.text.partition("=")[::2]) for field in call.arguments]
    reads = tuple(field.with_text(value) for field, key, value in pairs if key == "if")
    writes = tuple(field.with_text(value) for field, key, value in pairs if key == "of")
    return Effect("dd: copies bytes", reads, writes)


def _path_like(call: Call) -> tuple[Field, ...]:
    return tuple(
        field
        for field in call.arguments
        if "/" in field.text.strip("/") and not field.text.startswith("-") and "://" not in field.text
    )
