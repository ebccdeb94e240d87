"""ReadFile: a text file with line numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.clip import cut_line
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services
from roocode.tools.text import sendable
from roocode.tools.textfile import load
from roocode.tools.typed_tool import Action, make_tool

LINES = 2000
LINE_WIDTH = 2000
CHARACTERS = 100_000


@frozen
class ReadFileInput(Input):
    """What ReadFile takes."""

    path: Annotated[str, Limit(min_length=1)]
    """The file; absolute, or relative to your directory."""
    offset: Annotated[int, Limit(ge=1)] = 1
    """The line to begin with."""
    limit: Annotated[int, Limit(ge=1)] | None = None
    """How many lines; 2000 where it is not given."""


@frozen
class Page:
    """Numbered lines as they are shown; `last` is the last one's number, `full` where more did not fit."""

    text: str
    last: int
    full: bool


def page(lines: Sequence[str], first: int, count: int) -> Page:
    """Numbers `count` lines from line `first` on, as many as CHARACTERS have room for."""
    shown: list[str] = []
    room = CHARACTERS
    for number, line in enumerate(lines[first - 1 : first - 1 + count], first):
        numbered = f"{number:6}\t{cut_line(line.removesuffix(chr(13)), LINE_WIDTH)}"
        room -= len(numbered) + 1
        if room < 0 and shown:
            return Page("\n".join(shown), number - 1, full=True)
        shown.append(numbered)
    return Page("\n".join(shown), first - 1 + len(shown), full=False)


class ReadFile(Action[ReadFileInput]):
    """Reads files of the workspace and remembers what it showed."""

    def __init__(self, services: Services) -> None:
        self._files = services.files
        self._seen = services.seen

    def touches(self, given: ReadFileInput) -> Touches:
        """The file."""
        return Touches(reads=(given.path,))

    def runs_alongside(self, given: ReadFileInput) -> bool:
        """Always: it changes nothing."""
        return True

    async def run(self, given: ReadFileInput) -> ToolOutcome:
        """Shows the asked lines, and says what is left out."""
        file = await asyncio.to_thread(load, self._files, given.path)
        text = file.decoded.text
        lines = text.removesuffix("\n").split("\n") if text else []
        if not lines:
            self._seen.note(file.path, file.data)
            return ToolOutcome(f"({given.path} is empty)")
        if given.offset > len(lines):
            return ToolOutcome(
                f"offset {given.offset} is past the end: {given.path} has {len(lines)} lines.", is_error=True
            )
        shown = page(lines, given.offset, given.limit or LINES)
        if shown.full and given.limit is not None:
            raise ModelError(
                f"{given.limit} lines from line {given.offset} are more than {CHARACTERS:,} characters.",
                f"Ask for fewer: limit {shown.last - given.offset + 1} fits.",
            )
        self._seen.note_lines(file.path, file.data, range(given.offset, shown.last + 1), len(lines))
        notes = _notes(given.offset, shown.last, len(lines), str(file.decoded.encoding))
        return ToolOutcome("\n".join([sendable(shown.text), *notes]))


def _notes(first: int, last: int, total: int, encoding: str) -> list[str]:
    notes = []
    if encoding != "utf-8":
        notes.append(f"[encoding: {encoding}]")
    if last < total:
        notes.append(f"[PARTIAL: lines {first}-{last} of {total}; go on with offset {last + 1}]")
    return notes


def build(services: Services) -> Tool:
    """ReadFile."""
    return make_tool(__name__, ReadFileInput, ReadFile(services))
