"""Tells slash commands from the person's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from roocode.interaction.commands.invoking import MOST_LISTED, Invocable, near
from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import Command, Invoke, SubmitPrompt

_FORM = re.compile(r"/([^\W\d][\w.:-]*)(?:\s+(.*))?", re.DOTALL)

WIDEST = 40
"""Columns that a name may take before what it does moves right for all."""


@cache
def slash_commands() -> dict[str, Slash]:
    """All slash commands by name, sorted."""
    package = __package__ or ""
    path = import_module(package).__path__
    modules = (import_module(f"{package}.{found.name}") for found in iter_modules(path))
    commands = (getattr(module, "COMMAND", None) for module in modules)
    return {each.name: each for each in sorted(filter(None, commands), key=lambda each: each.name)}


def is_slash(text: str) -> bool:
    """Whether a line is a slash command of RooCode's own: nothing of it enters the conversation."""
    match = _FORM.fullmatch(text.strip())
    return match is not None and match[1] in slash_commands()


def read(text: str) -> Command:
    """The command in a line: that of `/name …`, else the words as a prompt (a path is one too).

    A name that is none of RooCode's own is one of a skill or of its like; who carries it out knows.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return SubmitPrompt(text)
    found = slash_commands().get(match[1])
    arguments = (match[2] or "").strip()
    return found.make(arguments) if found else Invoke(match[1], arguments)


def help_text(unknown: str = "", others: Sequence[Invocable] = ()) -> str:
    """The commands, one a line, then `others`; behind a word on the one that does not exist."""
    own = [(f"/{each.name} {each.takes}".strip(), each.does) for each in slash_commands().values()]
    more = [(f"/{each.name} {each.takes}".strip(), each.does) for each in others[:MOST_LISTED]]
    width = max(min(len(row[0]), WIDEST) for row in (*own, *more))
    lines = [f"{name:<{width}}  {does}" for name, does in (*own, *more)]
    if len(others) > MOST_LISTED:
        lines.append(f"and {len(others) - MOST_LISTED} more: roocode skills list")
    return "\n".join([*_unknown(unknown, others), *lines])


def _unknown(name: str, others: Sequence[Invocable]) -> list[str]:
    if not name:
        return []
    meant = " or ".join(f"/{each}" for each in near(name, others, tuple(slash_commands())))
    return [f"There is no command /{name}." + (f" Did you mean {meant}?" if meant else "")]
