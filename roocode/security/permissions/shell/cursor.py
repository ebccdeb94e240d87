"""A place in a text that is being read, and the pieces that were read so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from roocode.security.permissions.shell.syntax import Piece, Text

DEEPEST = 60
"""Levels of nesting that are followed; what is nested deeper is refused, never let through."""

METACHARACTERS = frozenset(" \t\n;&|()<>")

ScriptEnd = Callable[[str, int, int], int]


class Unfinished(ValueError):
    """A quote or an expansion that the text ends in the middle of."""


class TooDeep(ValueError):
    """Nested deeper than DEEPEST."""


@dataclass(slots=True)
class Cursor:
    """A place in a text that is being read.

    `script_end(text, at, depth)` finds the `)` that ends the script of `$(`.
    """

    text: str
    at: int
    script_end: ScriptEnd
    depth: int = 0

    def __post_init__(self) -> None:
        if self.depth > DEEPEST:
            raise TooDeep

    @property
    def here(self) -> str:
        """The character to read next, or "" at the end."""
        return self.text[self.at : self.at + 1]

    def sees(self, what: str) -> bool:
        """Whether this text comes next."""
        return self.text.startswith(what, self.at)

    def inside(self, at: int) -> Cursor:
        """A cursor for what is nested here."""
        return Cursor(self.text, at, self.script_end, self.depth + 1)


@dataclass(slots=True)
class Collector:
    pieces: list[Piece] = field(default_factory=list)

    def text(self, value: str, *, quoted: bool) -> None:
        last = self.pieces[-1] if self.pieces else None
        if isinstance(last, Text) and last.quoted == quoted:
            self.pieces[-1] = Text(last.value + value, quoted)
        else:
            self.pieces.append(Text(value, quoted))


def in_name(character: str) -> bool:
    """Whether a character can stand in the name of a variable."""
    return character.isascii() and (character.isalnum() or character == "_")


def is_name(text: str) -> bool:
    """Whether this can be the name of a variable."""
    return bool(text) and not text[0].isdigit() and all(in_name(character) for character in text)
