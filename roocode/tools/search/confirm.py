"""Holds what a search found against the files themselves, opened as the sandbox opens them.

A search follows names, and another process may swap a directory for a link while it runs: what is not found
again in the same place, without a link on the way, is left out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Protocol

from roocode.protocol.errors import RooCodeError
from roocode.security.permissions.places import Place
from roocode.tools.search.query import Line
from roocode.tools.text import decode


class Reader(Protocol):
    """Reads files inside the sandbox. Raises RooCodeError for others."""

    def resolve(self, path: str) -> Place:
        """Where a path leads."""
        ...

    def stat(self, path: str | Place) -> os.stat_result:
        """The status of a file."""
        ...

    def read(self, path: str | Place) -> bytes:
        """The bytes of a regular file."""
        ...


def is_there(path: Path, files: Reader) -> bool:
    """Whether a real path is a file that no link leads to, on the way that the sandbox takes."""
    try:
        return stat.S_ISREG(files.stat(str(path)).st_mode) and not files.resolve(str(path)).links
    except RooCodeError:
        return False


def lines_there(lines: Iterable[Line], folder: Path, files: Reader) -> Iterator[Line]:
    """The lines that stand in their files; lines of one file follow each other."""
    for path, group in groupby(lines, key=lambda line: line.path):
        texts = _texts(folder / path, files)
        yield from (line for line in group if line.text in texts)


def _texts(path: Path, files: Reader) -> frozenset[str]:
    """The lines of a file, as ripgrep prints them: its bytes, or the text of a file in another encoding."""
    if not is_there(path, files):
        return frozenset()
    try:
        data = files.read(str(path))
    except RooCodeError:
        return frozenset()
    decoded = decode(data)
    texts = (data.decode(errors="replace"), decoded.text if decoded else "")
    return frozenset(line.removesuffix("\r") for text in texts for line in text.split("\n"))
