"""Tells slash commands from the person's words."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from roocode.interaction.commands.slash import Slash
from roocode.protocol.commands import Command, ShowHelp, SubmitPrompt

_FORM = re.compile(r"/([a-z][a-z0-9_-]*)(?:\s+(.*))?", re.DOTALL)


@cache
def slash_commands() -> dict[str, Slash]:
    """All slash commands by name, sorted."""
    package = __package__ or ""
    path = import_module(package).__path__
    modules = (import_module(f"{package}.{found.name}") for found in iter_modules(path))
    commands = (getattr(module, "COMMAND", None) for module in modules)
    return {each.name: each for each in sorted(filter(None, commands), key=lambda each: each.name)}


def is_slash(text: str) -> bool:
    """Whether a line is a slash command, or meant as one, rather than words for the model."""
    return _FORM.fullmatch(text.strip()) is not None


def read(text: str) -> Command:
    """The command in a line: that of `/name …`, else the words as a prompt (a path is one too)."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return SubmitPrompt(text)
    found = slash_commands().get(match[1])
    return found.make((match[2] or "").strip()) if found else ShowHelp(unknown=match[1])


def help_text(unknown: str = "") -> str:
    """The commands, one a line; behind a word on the one that does not exist."""
    rows = [(f"/{each.name} {each.takes}".strip(), each.does) for each in slash_commands().values()]
    width = max(len(row[0]) for row in rows)
    head = [f"There is no command /{unknown}."] if unknown else []
    return "\n".join([*head, *(f"{name:<{width}}  {does}" for name, does in rows)])
