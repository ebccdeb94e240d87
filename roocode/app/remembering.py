"""Where an agent's notes lie, and what `/memory` does with them."""

from __future__ import annotations

from pathlib import Path

from roocode.memory.notes.note import Kind, Note
from roocode.memory.notes.store import Notes
from roocode.protocol.errors import UserError
from roocode.security.permissions.repository import around


def notes_of(root: Path, state: Path, person: Path) -> Notes:
    """The notes for work in `root`; those of a linked worktree are kept in the repository's main checkout.

    `state` is RooCode's own directory, `person` the person's home.
    """
    checkouts = around(root, person).checkouts
    main = Path(checkouts[0]) if str(root) in checkouts else root
    return Notes(state, main / ".roocode")


class Keeper:
    """Implements the tools' NoteKeeper."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def keep(self, kind: Kind, name: str, text: str) -> str:
        """Stores one and says where. Raises ModelError or HostError."""
        path, replaced = self._notes.write(Note(name, kind, text))
        return f"{'Written over the old note' if replaced else 'Remembered'}: {path}"


def memory(notes: Notes, forget: str = "") -> str:
    """Lists the notes with their files, or forgets one by name or file. Raises UserError for no such note."""
    if forget:
        gone = notes.forget(forget)
        if not gone:
            raise UserError(f"there is no note {forget!r}", "/memory shows them")
        return f"Forgotten: {', '.join(map(str, gone))}"
    told = notes.told()
    return f"{told}\n\nThe files are yours to change." if told else "Nothing is remembered yet."
