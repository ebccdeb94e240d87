"""Applies an edit to a text: exactly, else by whitespace alone, else not at all. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.tools.editing import whitespace
from roocode.tools.editing.splice import Flat, Span


@frozen
class Edited:
    """The new text, and at which of its lines (counted from 1) something was replaced."""

    text: str
    lines: tuple[int, ...]
    how: Literal["exact", "whitespace"] = "exact"


@frozen
class Ambiguous:
    """The passage is there more than once, at these lines."""

    lines: tuple[int, ...]
    how: Literal["exact", "whitespace"] = "exact"


@frozen
class NotFound:
    """The passage is not there."""


Outcome: TypeAlias = Edited | Ambiguous | NotFound


def edit(text: str, old: str, new: str, *, everywhere: bool = False) -> Outcome:
    """Replaces `old` by `new`, literally, where it stands exactly once, or `everywhere` it stands.

    Line endings are not part of a match: a CRLF file is edited as if it had LF, and keeps its own. Where
    `old` matches nowhere, whole lines that differ from it in whitespace only are taken, if there is one
    such place. `old` is not empty.
    """
    flat = Flat(text)
    if flat.has_crlf or old not in text:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    starts = _occurrences(flat.text, old, step=len(old) if everywhere else 1)
    if not starts:
        return _edit_loosely(flat, old, new)
    if len(starts) > 1 and not everywhere:
        return Ambiguous(tuple(map(flat.line, starts)))
    spans = [Span(start, start + len(old), new) for start in starts]
    grown = new.count("\n") - old.count("\n")
    lines = tuple(flat.line(start) + i * grown for i, start in enumerate(starts))
    return Edited(flat.replaced(spans), lines)


def _occurrences(text: str, part: str, *, step: int) -> list[int]:
    """Where `part` begins; each search goes on `step` characters later."""
    starts: list[int] = []
    start = text.find(part)
    while start >= 0:
        starts.append(start)
        start = text.find(part, start + step)
    return starts


def _edit_loosely(flat: Flat, old: str, new: str) -> Outcome:
    wanted = old.removesuffix("\n").split("\n")
    lines = flat.text.split("\n")
    places = whitespace.find(lines, wanted)
    if len(places) > 1:
        return Ambiguous(tuple(place + 1 for place in places), "whitespace")
    if not places or (new and old.endswith("\n") != new.endswith("\n")):
        return NotFound()
    place = places[0]
    found = lines[place : place + len(wanted)]
    start = sum(len(line) + 1 for line in lines[:place])
    end = start + sum(len(line) + 1 for line in found)
    if new:
        end -= 1
        new = "\n".join(whitespace.fitted(found, wanted, new.removesuffix("\n").split("\n")))
    elif not old.endswith("\n"):
        end -= 1
    return Edited(flat.replaced([Span(start, min(end, len(flat.text)), new)]), (place + 1,), "whitespace")
