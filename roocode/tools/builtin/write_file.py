"""WriteFile: a file's whole content."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from roocode.protocol.errors import ModelError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.diff import unified
from roocode.tools.editing import endings
from roocode.tools.editing.losses import placeholder, shrinkage
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services
from roocode.tools.text import Encoding, sendable
from roocode.tools.textfile import TextFile, encode, load
from roocode.tools.typed_tool import Action, make_tool


@frozen
class WriteFileInput(Input):
    """What WriteFile takes."""

    path: Annotated[str, Limit(min_length=1)]
    """The file; missing directories are made."""
    content: str
    """All of its content."""


class WriteFile(Action[WriteFileInput]):
    """Creates files, and replaces those that were read before."""

    def __init__(self, services: Services) -> None:
        self._files = services.files
        self._seen = services.seen
        self._syntax = services.syntax

    def touches(self, given: WriteFileInput) -> Touches:
        """The file."""
        return Touches(writes=(given.path,))

    def objection(self, given: WriteFileInput) -> str:
        """That it would lose what a placeholder stands for."""
        found = placeholder("", given.content)
        old = self._readable(given.path) if found else None
        found = placeholder(old.decoded.text, given.content) if old else None
        if old is None or found is None or given.content.count("\n") >= old.decoded.text.count("\n"):
            return ""
        return (
            f"line {found.line} of `content`, {found.text!r}, looks like a placeholder for what {given.path} "
            "has there: it would be lost. Give all of the content, or change the part with EditFile"
        )

    def preview(self, given: WriteFileInput) -> str:
        """The diff to what is there, below a warning where most of that goes.

        Raises ModelError where what is there must be read first.
        """
        old = self._readable(given.path)
        if old is not None:
            self._check_seen(old, given.path)
        before = old.decoded.text if old else ""
        lost = shrinkage(before, given.content)
        diff = unified(before, given.content, given.path)
        return f"WARNING: {lost}\n{diff}" if lost else diff

    async def run(self, given: WriteFileInput) -> ToolOutcome:
        """Writes the file whole, or not at all, and says what was kept and what may be lost or broken."""
        old = self._existing(given.path)
        if old:
            self._check_seen(old, given.path)
        content = endings.like(old.decoded.text, given.content) if old else given.content
        data = encode(content, old.decoded.encoding if old else Encoding(), given.path)
        return await asyncio.to_thread(self._write, given, old, content, data)

    def _write(self, given: WriteFileInput, old: TextFile | None, content: str, data: bytes) -> ToolOutcome:
        place = self._files.write(given.path, data, replacing=old.data if old else None)
        path = Path(place.real)
        self._seen.note(path, data)
        before = old.decoded.text if old else None
        report = [
            f"{'Replaced' if old else 'Created'} {given.path}: {len(given.content.splitlines())} lines, "
            f"{len(data):,} bytes.{_kept(old, content)}",
            _losses(before or "", given.content),
            sendable(self._syntax.told(path, before, content)),
        ]
        return ToolOutcome("\n".join(filter(None, report)), shown=unified(before or "", content, given.path))

    def _readable(self, path: str) -> TextFile | None:
        """The file that is there, if it can be read."""
        try:
            return self._existing(path)
        except RooCodeError:
            return None

    def _existing(self, path: str) -> TextFile | None:
        return None if self._files.resolve(path).kind == "missing" else load(self._files, path)

    def _check_seen(self, old: TextFile, path: str) -> None:
        match self._seen.state(old.path, old.data):
            case "unseen":
                raise ModelError(f"{path} exists and was not read.", "Read it first, or use EditFile.")
            case "part":
                raise ModelError(f"{path} was read in part only.", "Read all of it first, or use EditFile.")
            case "changed":
                raise ModelError(f"{path} has changed since it was read.", "Read it again first.")
            case "whole":
                return


def _kept(old: TextFile | None, content: str) -> str:
    """What of the old file was kept, where it is not what a new file would have."""
    if old is None:
        return ""
    encoding, ends = old.decoded.encoding, endings.kind_of(old.decoded.text)
    kept = [str(encoding)] if encoding != Encoding() else []
    if ends and endings.kind_of(content) == ends:
        kept.append("the line endings of lines that stay" if ends == "mixed" else f"{ends} line endings")
    return f" Kept as it was: {', '.join(kept)}." if kept else ""


def _losses(before: str, after: str) -> str:
    """What may have been lost by mistake."""
    lost, found = shrinkage(before, after), placeholder(before, after)
    said = [f"Look again, {lost}: if that was not meant, write it back." if lost else ""]
    if found is not None:
        said.append(f"Line {found.line} looks like a placeholder for text that is not there: {found.text!r}.")
    return "\n".join(filter(None, said))


def build(services: Services) -> Tool:
    """WriteFile."""
    return make_tool(__name__, WriteFileInput, WriteFile(services))
