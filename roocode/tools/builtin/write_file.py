"""WriteFile: a file's whole content."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from roocode.protocol.errors import ModelError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.diff import unified
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services
from roocode.tools.text import Encoding
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

    def touches(self, given: WriteFileInput) -> Touches:
        """The file."""
        return Touches(writes=(given.path,))

    def preview(self, given: WriteFileInput) -> str:
        """The diff to what is there."""
        try:
            old = self._existing(given.path)
        except RooCodeError:
            old = None
        return unified(old.decoded.text if old else "", given.content, given.path)

    async def run(self, given: WriteFileInput) -> ToolOutcome:
        """Writes the file whole, or not at all."""
        old = self._existing(given.path)
        if old:
            self._check_seen(old, given.path)
        encoding = old.decoded.encoding if old else Encoding()
        keeps_crlf = old is not None and _only_crlf(old.decoded.text) and "\r\n" not in given.content
        content = given.content.replace("\n", "\r\n") if keeps_crlf else given.content
        data = encode(content, encoding, given.path)
        place = await asyncio.to_thread(self._files.write, given.path, data)
        self._seen.note(Path(place.real), data)
        kept = [str(encoding)] if encoding != Encoding() else []
        kept += ["CRLF line endings"] if keeps_crlf else []
        note = f" Kept as it was: {', '.join(kept)}." if kept else ""
        lines = len(given.content.splitlines())
        done = "Replaced" if old else "Created"
        shown = unified(old.decoded.text if old else "", content, given.path)
        return ToolOutcome(f"{done} {given.path}: {lines} lines, {len(data):,} bytes.{note}", shown=shown)

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


def _only_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def build(services: Services) -> Tool:
    """WriteFile."""
    return make_tool(__name__, WriteFileInput, WriteFile(services))
