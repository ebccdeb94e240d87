"""Grep: lines by regular expression."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated

from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.security.permissions.places import Place
from roocode.security.permissions.secret_files import holds_secrets, is_full_of_secrets
from roocode.tools.clip import cut_line, printable
from roocode.tools.schema import Input, Limit
from roocode.tools.search.confirm import is_there, lines_there
from roocode.tools.search.engine import Engine, newest_first
from roocode.tools.search.query import ALSO, TYPES, Found, Line, Mode, Query
from roocode.tools.services import Services
from roocode.tools.shown_path import shown_path
from roocode.tools.typed_tool import Action, make_tool

ENTRIES = 250
LINE_WIDTH = 500
CHARACTERS = 30_000
_LEFT_OUT = "; .env, keys and other files that hold secrets are searched only where `path` names one"


@frozen
class GrepInput(Input):
    """What Grep takes."""

    pattern: Annotated[str, Limit(min_length=1)]
    """A regular expression (ripgrep's syntax)."""
    path: str = "."
    """The file or directory to search."""
    glob: str = ""
    """Only files that fit, such as `*.py` or `src/**/*.ts`; `!*.md` leaves some out."""
    type: str = ""
    """Only files of a type: py, js, ts, go, rust, java, md …"""
    output_mode: Mode = "files_with_matches"
    """`files_with_matches` gives paths, newest first; `content` lines with numbers; `count` lines a file."""
    after: Annotated[int, Limit(ge=0)] = field(default=0, metadata={"wire": "-A"})
    """Lines after each match (content mode)."""
    before: Annotated[int, Limit(ge=0)] = field(default=0, metadata={"wire": "-B"})
    """Lines before each match."""
    around: Annotated[int, Limit(ge=0)] = field(default=0, metadata={"wire": "-C"})
    """Lines before and after each match."""
    ignore_case: bool = field(default=False, metadata={"wire": "-i"})
    """Upper and lower case are the same."""
    multiline: bool = False
    """Matches may span lines, and `.` matches newlines."""
    head_limit: Annotated[int, Limit(ge=0)] = ENTRIES
    """At most so many lines or files; 0 for all."""
    offset: Annotated[int, Limit(ge=0)] = 0
    """Leave out so many lines or files first."""


class Grep(Action[GrepInput]):
    """Searches files of the workspace."""

    def __init__(self, services: Services) -> None:
        self._files = services.files
        self._root = services.workspace.root
        self._engine = Engine(services.workspace.env, services.workspace.root)

    def objection(self, given: GrepInput) -> str:
        """What ripgrep would not take."""
        kind = ALSO.get(given.type, given.type)
        if kind and kind not in TYPES:
            return f"`type` {given.type!r} is unknown; known are {', '.join(TYPES)}; or use `glob`"
        if not given.multiline and re.search(r"\n|(?<!\\)(\\\\)*\\n", given.pattern):
            return "`pattern` spans lines: set `multiline` to true"
        return ""

    def touches(self, given: GrepInput) -> Touches:
        """The file or directory that is searched."""
        return Touches(reads=(given.path,))

    def runs_alongside(self, given: GrepInput) -> bool:
        """Always: it changes nothing."""
        return True

    async def run(self, given: GrepInput) -> ToolOutcome:
        """Searches, and shows a part of the entries if there are many."""
        place = self._files.resolve(given.path)
        if place.kind == "missing":
            raise ModelError(f"{given.path} does not exist.")
        folder = Path(place.real) if place.kind == "directory" else Path(place.real).parent
        with self._files.held(place) as at:
            found = await self._engine.search(_query(given, place), folder, at)
        if found.error:
            raise ModelError(f"The pattern is not valid: {found.error}")
        broad = place.kind == "directory" and not is_full_of_secrets(place.real)
        entries = await asyncio.to_thread(
            self._entries, given.output_mode, found, folder, with_secrets=not broad
        )
        return _part(given, entries, cut=found.cut)

    def _entries(self, mode: Mode, found: Found, folder: Path, *, with_secrets: bool) -> list[str]:
        def hidden(path: str) -> bool:
            # Not even that one was left out is told: a pattern could ask for it letter by letter.
            return self._files.is_hidden(path) or (holds_secrets(path) and not with_secrets)

        if mode == "content":
            lines = [line for line in found.lines if not hidden(str(folder / line.path))]
            return list(self._numbered(list(lines_there(lines, folder, self._files)), folder))
        counts = {
            folder / path: count
            for path, count in found.counts.items()
            if not hidden(str(folder / path)) and is_there(folder / path, self._files)
        }
        if mode == "count":
            return [f"{shown_path(path, self._root)}:{counts[path]}" for path in sorted(counts)]
        return [shown_path(path, self._root) for path in newest_first(counts)]

    def _numbered(self, lines: Sequence[Line], folder: Path) -> Iterator[str]:
        """`path:number:text` for a match, `path-number-text` for context, `--` between places apart."""
        expected: tuple[str, int] | None = None
        with_context = any(not line.matches for line in lines)
        for line in sorted(lines, key=lambda line: (line.path.split("/"), line.number)):
            if with_context and expected is not None and expected != (line.path, line.number):
                yield "--"
            path, mark = shown_path(folder / line.path, self._root), ":" if line.matches else "-"
            yield f"{path}{mark}{line.number}{mark}{cut_line(printable(line.text), LINE_WIDTH)}"
            expected = (line.path, line.number + 1)


def _query(given: GrepInput, place: Place) -> Query:
    return Query(
        pattern=given.pattern,
        mode=given.output_mode,
        only="" if place.kind == "directory" else Path(place.real).name,
        glob=given.glob,
        names=TYPES[ALSO.get(given.type, given.type)] if given.type else (),
        ignore_case=given.ignore_case,
        multiline=given.multiline,
        before=max(given.before, given.around),
        after=max(given.after, given.around),
    )


def _part(given: GrepInput, entries: Sequence[str], *, cut: bool) -> ToolOutcome:
    """The entries from `offset` on, as many as are asked for and as there is room for."""
    if not entries and cut:
        raise ModelError("The matching lines are too long to show.", "Use files_with_matches or count.")
    if not entries:
        where = given.path if given.path != "." else "this directory"
        return ToolOutcome(f"No matches for {given.pattern} in {where} (.gitignore is honoured{_LEFT_OUT}).")
    if given.offset >= len(entries):
        return ToolOutcome(f"offset {given.offset} is past the end: there are {len(entries)} entries.")
    wanted = entries[given.offset :][: given.head_limit or None]
    shown: list[str] = []
    room = CHARACTERS
    for entry in wanted:
        room -= len(entry) + 1
        if room < 0 and shown:
            break
        shown.append(entry)
    last = given.offset + len(shown)
    total = f"more than {len(entries)}" if cut else str(len(entries))
    if last < len(entries) or cut:
        part = f"{given.offset + 1}-{last} of {total}"
        shown.append(f"[TRUNCATED: {part}; go on with offset {last}, or narrow the search]")
    return ToolOutcome("\n".join(shown))


def build(services: Services) -> Tool:
    """Grep."""
    return make_tool(__name__, GrepInput, Grep(services))
