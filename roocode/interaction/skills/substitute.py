"""Puts arguments and places into the text of a skill. Pure.

Text and shell commands are told apart first: in a command an argument is quoted for the place where it
stands, and what a command prints is never looked at again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from roocode.protocol.frozen import frozen

_COMMAND = re.compile(
    r"^[ \t]*```!\w*[ \t]*\n(?P<block>.*?)\n[ \t]*```[ \t]*$|(?<![^\s(])!`(?P<line>[^`\n]+)`",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(
    r"(?P<escape>\\?)\$(?:"
    r"ARGUMENTS\[(?P<index>\d{1,3})\]"
    r"|(?P<all>ARGUMENTS)(?!\w)"
    r"|\{(?P<place>[A-Z][A-Z_]*)\}"
    r"|(?P<number>\d{1,2})(?!\d)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r")"
)
_CODE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_AWK = re.compile(r"\b[gmn]?awk\b")


@frozen
class Literal:
    """A part of a text that goes to the model as it is."""

    text: str


@frozen
class ShellCommand:
    """A part of a text that is run; what it prints takes its place."""

    command: str


Part: TypeAlias = Literal | ShellCommand


@frozen
class Given:
    """What is put in: the arguments as they were written, the names of some, and the places."""

    arguments: str = ""
    names: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    counts_from_one: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments, split as a shell does; at blanks where their quotes do not fit."""
        try:
            return tuple(shlex.split(self.arguments))
        except ValueError:
            return tuple(self.arguments.split())


def filled(body: str, given: Given) -> tuple[Part, ...]:
    """The parts of a text with everything put in.

    Arguments that the text has no place for stand at its end.
    """
    filling = _Filling(given)
    parts = tuple(_parts(body, filling))
    if given.arguments.strip() and not filling.used:
        return (*parts, Literal(f"\n\nARGUMENTS: {given.arguments.strip()}"))
    return parts


def _parts(body: str, filling: _Filling) -> Iterator[Part]:
    at = 0
    for found in _COMMAND.finditer(body):
        if before := body[at : found.start()]:
            yield Literal(filling.text(before))
        command = found["line"] if found["block"] is None else found["block"]
        yield ShellCommand(filling.command(command).strip())
        at = found.end()
    if rest := body[at:]:
        yield Literal(filling.text(rest))


class _Filling:
    """Puts one call's arguments in; `used` once one of them had a place."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._words = given.words
        self.used = False

    def text(self, text: str) -> str:
        code = [found.span() for found in _CODE.finditer(text)]

        def put(mark: re.Match[str]) -> str:
            in_code = any(start <= mark.start() < end for start, end in code)
            if mark["escape"]:
                kept = in_code if mark["number"] else self._value(mark) is None
                return mark[0] if kept else mark[0][1:]
            if mark["number"] and in_code and _AWK.search(_line_around(text, mark.start())):
                return mark[0]
            value = self._value(mark)
            self.used |= value is not None and not mark["place"]
            return mark[0] if value is None else value

        return _MARK.sub(put, text)

    def command(self, command: str) -> str:
        def put(mark: re.Match[str]) -> str:
            if mark["escape"]:
                return mark[0]
            value = self._value(mark)
            if value is None:
                return mark[0]
            self.used |= not mark["place"]
            return _quoted(value, command[: mark.start()], many=bool(mark["all"]), words=self._words)

        return _MARK.sub(put, command)

    def _value(self, mark: re.Match[str]) -> str | None:
        """What a mark stands for; None where it is none of ours."""
        if mark["all"]:
            return self._given.arguments
        if mark["place"]:
            return self._given.places.get(mark["place"])
        if mark["index"]:
            return self._word(int(mark["index"])) or ""
        if mark["number"]:
            return self._word(int(mark["number"]) - self._given.counts_from_one)
        names = self._given.names
        return (self._word(names.index(mark["name"])) or "") if mark["name"] in names else None

    def _word(self, index: int) -> str | None:
        return self._words[index] if 0 <= index < len(self._words) else None


def _line_around(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _quoted(value: str, before: str, *, many: bool, words: tuple[str, ...]) -> str:
    """A value for a place in a shell line, told by the quotes that are open `before` it."""
    match _open_quote(before):
        case "'":
            return value.replace("'", "'\\''")
        case '"':
            return re.sub(r'([\\"$`])', r"\\\1", value)
        case _:
            return shlex.join(words) if many else shlex.quote(value)


def _open_quote(before: str) -> str:
    quote, escaped = "", False
    for character in before:
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif character in "'\"" and quote in ("", character):
            quote = "" if quote else character
    return quote
