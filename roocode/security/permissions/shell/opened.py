"""Everything that one call starts in turn: programs, shell text, and what may be a program in disguise."""

from __future__ import annotations

from collections.abc import Callable

from roocode.security.permissions.shell.calls import Call, Code, Opened, Program
from roocode.security.permissions.shell.git_opened import opened_by_git
from roocode.security.permissions.shell.inline import inspect, inspect_awk
from roocode.security.permissions.shell.programs import (
    DESTRUCTIVE,
    TAKES_TEXT,
    base_name,
    is_interpreter,
    is_shell,
    names,
)
from roocode.security.permissions.shell.repeated import opened_repeatedly
from roocode.security.permissions.shell.scripts import opened_script
from roocode.security.permissions.shell.sed import executed_by_sed
from roocode.security.permissions.shell.values import Field, Fields, Value
from roocode.security.permissions.shell.wrappers import is_wrapper, opened_by_wrapper

RUNNING_VARIABLES = names(
    "PAGER GIT_PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH "
    "GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND PROMPT_COMMAND PS1 PS2 PS4 "
    "BROWSER MAKEFLAGS SHELL FZF_DEFAULT_COMMAND RSYNC_RSH CVS_RSH TAR_OPTIONS PERL5OPT RUBYOPT NODE_OPTIONS "
    "PYTHONSTARTUP"
)
"""Variables whose value is a command that other programs run."""


def opened(call: Call, read: Callable[[Fields], Value]) -> list[Opened]:
    """What a call starts, in order. `read(paths)` says what may be in files."""
    found = [
        *opened_by_wrapper(call),
        *opened_script(call, read),
        *opened_repeatedly(call, read),
        *opened_by_git(call),
        *executed_by_sed(call),
        *_from_variables(call),
        *_from_code(call),
    ]
    if is_wrapper(call.name) or _is_unlisted(call.name):
        found.extend(_disguised(call))
    return found


def _from_variables(call: Call) -> list[Opened]:
    settings = [(setting.name, setting.value) for setting in call.settings]
    if call.name in ("export", "declare", "typeset", "env", "readonly"):
        for field in call.arguments:
            name, _, value = field.text.partition("=")
            settings.append((name, (field.with_text(value),)))
    return [Code(value, name, guess=True) for name, value in settings if name in RUNNING_VARIABLES]


def _from_code(call: Call) -> list[Opened]:
    found: list[Opened] = []
    for code in call.code:
        if call.name.endswith("awk"):
            lines = inspect_awk(code.text).lines
        else:
            lines = inspect(code.text, backticks_run=not call.name.startswith(("node", "deno", "bun"))).lines
        found.extend(Code((Field(line),), f"{call.name} code", guess=True) for line in lines)
    return found


def _is_unlisted(name: str) -> bool:
    return not (name in TAKES_TEXT or name in DESTRUCTIVE or is_shell(name) or is_interpreter(name))


def _disguised(call: Call) -> list[Opened]:
    """The first place of each destructive program among the words, as if the program were started there."""
    found: list[Opened] = []
    seen: set[str] = set()
    for at, field in enumerate(call.arguments):
        name = base_name(field.text)
        if name in DESTRUCTIVE and name not in seen:
            seen.add(name)
            found.append(Program(call.arguments[at:], call.name, guess=True))
    return found
