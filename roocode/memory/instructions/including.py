"""Puts the files that an instruction file names into it: `@include path`, and other tools' `@path`. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

DEEPEST = 5
MOST = 100
"""Files in one tree of includes."""

_INCLUDE = re.compile(r"^ {0,3}@include[ \t]+(?P<path>\S.*?)[ \t]*$")
_IMPORT = re.compile(r"^ {0,3}@(?P<path>\.{0,2}/?[\w.-][\w./ -]*\.(?:md|markdown|txt|mdx))[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)$")

Read: TypeAlias = Callable[[Path], str | None]


class Includer:
    """Expands one tree of files; `read` gives a file's text or None.

    `files` are those that were used, in order. `missing` names what was asked for and is not there, is
    outside, or is too deep: such a line stays as it is.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self.files: list[Path] = []
        self.missing: list[str] = []

    def file(self, path: Path) -> str | None:
        """The text of a file with all that it includes; None where it is not there."""
        return self._file(path, ())

    def _file(self, path: Path, above: tuple[Path, ...]) -> str | None:
        real = Path(os.path.realpath(path))
        if real in above or len(above) >= DEEPEST or len(self.files) >= MOST:
            return None
        text = self._read(path)
        if text is None:
            return None
        self.files.append(path)
        return "\n".join(self._lines(text, path, (*above, real)))

    def _lines(self, text: str, path: Path, above: tuple[Path, ...]) -> Iterator[str]:
        fence = ""
        for line in text.split("\n"):
            marks = _FENCE.match(line)
            if fence:
                is_end = marks and marks["fence"].startswith(fence) and not marks["info"].strip()
                fence = "" if is_end else fence
            elif marks:
                fence = marks["fence"]
            named = None if fence or marks else _INCLUDE.match(line) or _IMPORT.match(line)
            yield self._included(line, named["path"], path, above) if named else line

    def _included(self, line: str, named: str, path: Path, above: tuple[Path, ...]) -> str:
        if named.startswith(("/", "~")):
            self.missing.append(f"{path}: @include {named}: only paths relative to the file")
            return line
        inner = self._file(path.parent / named, above)
        if inner is None:
            self.missing.append(f"{path}: @include {named}: not there, outside, a circle, or too deep")
            return line
        return inner.rstrip("\n")
