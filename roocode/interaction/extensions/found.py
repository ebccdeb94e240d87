"""Finds the files of extensions and says of each what is used, or why it is not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from roocode.interaction.config.document import read_text
from roocode.interaction.config.places import Places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import Standing
from roocode.interaction.extensions.places import Folder, Owner
from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.frozen import frozen

MOST_FOLDERS = 2_000
DEEPEST = 6
_SKIPPED = frozenset({".git", "node_modules", "__pycache__"})

T = TypeVar("T")


@frozen
class Found(Generic[T]):
    """A file that defines something, and what it defines.

    It is used unless `error` or `shadowed_by` (a path) says why not; `notes` are what in it is not honoured.
    """

    name: str
    owner: Owner
    path: Path
    value: T | None = None
    error: str = ""
    shadowed_by: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether it takes effect."""
        return self.value is not None and not self.error and not self.shadowed_by


@frozen
class Read(Generic[T]):
    """What a reader made of a file: the name that it gives itself, its value, what is not honoured of it."""

    name: str
    value: T
    notes: tuple[str, ...] = ()


Reader = Callable[[str, Path, Folder], Read[T]]
"""Reads the text of a file. Raises UserError for a file that is refused."""


def find(
    files: Iterable[tuple[Folder, Path]], read: Reader[T], places: Places, standing: Standing
) -> tuple[Found[T], ...]:
    """Reads every file, the first to win first; a project's has effect only as far as it is trusted."""
    found: list[Found[T]] = []
    winners: dict[str, Path] = {}
    for folder, path in files:
        each = _read(folder, path, read, places, standing)
        if not each.error:
            winner = winners.setdefault(each.name, path)
            each = each if winner == path else replace(each, shadowed_by=str(winner))
        found.append(each)
    return tuple(found)


def files_below(folder: Folder, names: Callable[[str], bool]) -> Iterator[tuple[Folder, Path]]:
    """The files below a folder whose name fits, sorted; follows links, never in a circle, not too deep."""
    entered: set[str] = set()
    for path, below, files in os.walk(folder.path, followlinks=True):
        real = os.path.realpath(path)
        depth = len(Path(path).relative_to(folder.path).parts)
        if real in entered or len(entered) >= MOST_FOLDERS:
            below.clear()
            continue
        entered.add(real)
        below[:] = sorted(name for name in below if name not in _SKIPPED) if depth < DEEPEST else []
        if folder.only and not depth:
            below[:] = [name for name in below if name in folder.only]
            files = [name for name in files if name in folder.only]
        yield from ((folder, Path(path, name)) for name in sorted(files) if names(name))


def _read(folder: Folder, path: Path, read: Reader[T], places: Places, standing: Standing) -> Found[T]:
    fallback = folder.named(path.parent.name if path.name == "SKILL.md" else path.stem)
    try:
        text = read_text(path, places.shown(path))
        if text is None:
            raise UserError(f"{places.shown(path)} is gone")
        said = read(text, path, folder)
    except RooCodeError as error:
        return Found(fallback, folder.owner, path, error=error.what)
    found = Found(folder.named(said.name), folder.owner, path, said.value, notes=said.notes)
    if folder.owner == "project" and not standing.counts(str(path.relative_to(places.root)), text):
        return replace(found, error=UNTRUSTED)
    return found
