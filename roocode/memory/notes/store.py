"""Notes on disk: a file each, with an index beside them that a person can read, change and delete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from roocode.memory.instructions.reading import read_inside
from roocode.memory.notes.note import OF_THE_PERSON, Kind, Note, index, read, same, written
from roocode.protocol.errors import HostError, ModelError
from roocode.security.sandbox.replacing import replace_path

INDEX = "MEMORY.md"
MOST = 200
LONGEST = 8_000
"""Characters that one note may have."""
LONGEST_INDEX = 25_000


class Notes:
    """The notes of a person and of a project, in two directories that are made when the first is written.

    Each method reads the files anew: a person and other agents may have changed them. Raises HostError when
    the disk refuses.
    """

    def __init__(self, person: Path, project: Path) -> None:
        """`person` and `project` are RooCode's directories of the two: `~/.roocode`, `.roocode`."""
        self.person = person.parent.resolve() / person.name / "memory"
        self.project = project.parent.resolve() / project.name / "memory"

    def all(self) -> tuple[Note, ...]:
        """Every note, the person's first, each directory in the order of the files' names."""
        return tuple(note for folder in (self.person, self.project) for note, _ in _stored(folder))

    def write(self, note: Note) -> tuple[Path, bool]:
        """Stores a note and returns its file, and whether it took the place of one that said the same.

        Raises ModelError for one that is too long or one too many.
        """
        if len(note.text) > LONGEST:
            raise ModelError(
                f"the note has {len(note.text):,} characters; the limit is {LONGEST:,}.", "Keep the fact."
            )
        folder = self._folder(note.kind)
        if os.path.realpath(folder) != str(folder):
            raise ModelError(f"{folder} is reached through a link, so nothing is written there.")
        stored = list(_stored(folder))
        replaced = [path for old, path in stored if same(old, note)]
        if not replaced and len(stored) >= MOST:
            raise ModelError(
                f"there are {len(stored)} notes in {folder}.", "Write over an old one, by its name."
            )
        _replace(folder / note.file, written(note))
        for path in replaced:
            if path.name != note.file:
                _remove(path)
        self._index(folder)
        return folder / note.file, bool(replaced)

    def add(self, note: Note) -> Path | None:
        """Stores a note beside what is there: below the words of one with the same name, which stay.

        None where they are known already. Raises ModelError as `write` does.
        """
        old = next((each for each, _ in _stored(self._folder(note.kind)) if same(each, note)), None)
        if old is None:
            return self.write(note)[0]
        if old.file != note.file or _plain(note.text) in _plain(old.text):
            return None
        return self.write(replace(old, text=f"{old.text}\n\n{note.text}"))[0]

    def forget(self, name: str) -> tuple[Path, ...]:
        """Deletes the notes of this name or file name; returns their files."""
        gone: list[Path] = []
        for folder in (self.person, self.project):
            found = [path for note, path in _stored(folder) if name in (note.name, path.name, path.stem)]
            for path in found:
                _remove(path)
            if found:
                self._index(folder)
            gone.extend(found)
        return tuple(gone)

    def told(self) -> str:
        """What an agent is told of the notes: both indexes; empty where there are none."""
        parts = []
        for folder in (self.person, self.project):
            notes = tuple(note for note, _ in _stored(folder))
            if notes:
                text = index(notes).partition("\n\n")[2].strip()
                parts.append(f"In {folder}:\n{text[:LONGEST_INDEX]}")
        return "\n\n".join(parts)

    def _folder(self, kind: Kind) -> Path:
        return self.person if kind in OF_THE_PERSON else self.project

    def _index(self, folder: Path) -> None:
        _replace(folder / INDEX, index(tuple(note for note, _ in _stored(folder))))


def _stored(folder: Path) -> Iterator[tuple[Note, Path]]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md") and name != INDEX)
    except OSError:
        return
    for name in names:
        note = read(read_inside(folder / name, folder) or "")
        if note is not None:
            yield note, folder / name


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise HostError(f"cannot delete {path}: {error.strerror}", "check the permissions") from error


def _replace(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_path(path, text.encode("utf-8", "replace"), mode=0o600)
    except OSError as error:
        raise HostError(
            f"cannot write {path}: {error.strerror}", "check the disk and the permissions"
        ) from error
