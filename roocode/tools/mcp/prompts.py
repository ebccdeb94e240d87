"""Prompts of servers as slash commands: `/mcp__server__prompt words`."""

from __future__ import annotations

import shlex

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.tools.mcp.offering import RemoteArgument


@frozen
class NamedPrompt:
    """A prompt of a server, by the name of its slash command (without the slash)."""

    name: str
    server: str
    remote: str
    description: str
    arguments: tuple[RemoteArgument, ...]

    @property
    def takes(self) -> str:
        """What it takes, as a person reads it: `name [tone]`."""
        return " ".join(each.name if each.required else f"[{each.name}]" for each in self.arguments)


def arguments_of(prompt: NamedPrompt, text: str) -> dict[str, str]:
    """The arguments that the words behind a slash command mean, in their order or as `name=value`.

    The last argument takes all words that are left. Raises UserError where one is missing or too many.
    """
    given: dict[str, str] = {}
    rest: list[str] = []
    names = [each.name for each in prompt.arguments]
    for word in _words(text):
        name, sign, value = word.partition("=")
        if sign and name in names and name not in given:
            given[name] = value
        else:
            rest.append(word)
    unnamed = [name for name in names if name not in given]
    if rest and not unnamed:
        raise UserError(f"/{prompt.name} does not take {' '.join(rest)!r}", _usage(prompt))
    for index, name in enumerate(unnamed):
        if not rest:
            break
        given[name] = " ".join(rest) if index == len(unnamed) - 1 else rest.pop(0)
    missing = [each.name for each in prompt.arguments if each.required and each.name not in given]
    if missing:
        raise UserError(f"/{prompt.name} also needs {', '.join(missing)}", _usage(prompt))
    return given


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _usage(prompt: NamedPrompt) -> str:
    return f"/{prompt.name} {prompt.takes}".rstrip()
