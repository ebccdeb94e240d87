"""Glob: files by name."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Annotated

from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.search.confirm import is_there
from roocode.tools.search.engine import Engine, newest_first
from roocode.tools.search.wildcards import matches, split_base
from roocode.tools.services import Services
from roocode.tools.shown_path import shown_path
from roocode.tools.typed_tool import Action, make_tool

MOST = 100


@frozen
class GlobInput(Input):
    """What Glob takes."""

    pattern: Annotated[str, Limit(min_length=1)]
    """Such as `**/*.py`, `src/*.{ts,tsx}`."""
    path: str = "."
    """The directory to search."""


class Glob(Action[GlobInput]):
    """Lists files of the workspace."""

    def __init__(self, services: Services) -> None:
        self._files = services.files
        self._root = services.workspace.root
        self._engine = Engine(services.workspace.env, services.workspace.root)

    def touches(self, given: GlobInput) -> Touches:
        """The directory where the wildcards begin."""
        return Touches(reads=(_folder(given),))

    def runs_alongside(self, given: GlobInput) -> bool:
        """Always: it changes nothing."""
        return True

    async def run(self, given: GlobInput) -> ToolOutcome:
        """Lists the files that fit, the newest first."""
        place = self._files.resolve(_folder(given))
        if place.kind != "directory":
            raise ModelError(f"{_folder(given)} is no directory.")
        folder, wanted = Path(place.real), split_base(given.pattern)[1]
        with self._files.held(place) as at:
            listed = await self._engine.files(folder, at)
        found = [
            folder / path
            for path in listed
            if matches(wanted, path) and not self._files.is_hidden(str(folder / path))
        ]
        if not found:
            return ToolOutcome(f"No files match {given.pattern} (what .gitignore leaves out is not listed).")
        newest = newest_first(found)
        there = islice((path for path in newest if is_there(path, self._files)), MOST)
        lines = [shown_path(path, self._root) for path in there]
        if len(newest) > MOST:
            lines.append(f"[TRUNCATED: the {MOST} newest of {len(newest)} files; use a narrower pattern]")
        return ToolOutcome("\n".join(lines))


def _folder(given: GlobInput) -> str:
    return os.path.join(given.path, split_base(given.pattern)[0])


def build(services: Services) -> Tool:
    """Glob."""
    return make_tool(__name__, GlobInput, Glob(services))
