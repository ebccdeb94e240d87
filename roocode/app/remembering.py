"""Where an agent's notes lie, and what `/memory` does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roocode.memory.compaction.lasting import Fact
from roocode.memory.notes.note import Kind, Note
from roocode.memory.notes.store import Notes
from roocode.protocol.errors import RooCodeError, UserError
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.guard import GuardedToolset
from roocode.security.permissions.decide import decide
from roocode.security.permissions.repository import around

REMEMBER = "Remember"


def notes_of(root: Path, state: Path, person: Path) -> Notes:
    """The notes for work in `root`; those of a linked worktree are kept in the repository's main checkout.

    `state` is RooCode's own directory, `person` the person's home.
    """
    checkouts = around(root, person).checkouts
    main = Path(checkouts[0]) if str(root) in checkouts else root
    return Notes(state, main / ".roocode")


class Keeper:
    """Implements the tools' NoteKeeper, and the room's FactKeeper.

    `may` says whether a call of Remember with these arguments would run without a question: what a person
    said becomes a note by itself only where it would.
    """

    def __init__(self, notes: Notes, may: Callable[[Arguments], bool] = lambda _: True) -> None:
        self._notes = notes
        self._may = may

    def keep(self, kind: Kind, name: str, text: str) -> str:
        """Stores one and says where. Raises ModelError or HostError."""
        path, replaced = self._notes.write(Note(name, kind, text))
        return f"{'Written over the old note' if replaced else 'Remembered'}: {path}"

    def keep_said(self, facts: Sequence[Fact]) -> tuple[str, ...]:
        """Makes notes of words that are not known yet; returns their names.

        Raises ModelError or HostError where none could be kept.
        """
        names: list[str] = []
        trouble: RooCodeError | None = None
        for fact in facts:
            try:
                if self._keeps(fact):
                    names.append(fact.name)
            except RooCodeError as error:
                trouble = error
        if trouble is not None and not names:
            raise trouble
        return tuple(names)

    def _keeps(self, fact: Fact) -> bool:
        asked = {"kind": fact.kind, "name": fact.name, "text": fact.words}
        return self._may(asked) and self._notes.add(Note(fact.name, fact.kind, fact.words)) is not None


def person_keeper(notes: Notes, toolset: GuardedToolset, workspace: Workspace) -> Keeper:
    """Keeps what a person says to the agent with these tools, under the rules that hold for Remember."""

    def may(arguments: Arguments) -> bool:
        offered = any(spec.name == REMEMBER for spec in toolset.specs)
        decision = decide(REMEMBER, arguments, Touches(), toolset.policy, workspace)
        return offered and decision.verdict == "allow"

    return Keeper(notes, may)


def memory(notes: Notes, forget: str = "") -> str:
    """Lists the notes with their files, or forgets one by name or file. Raises UserError for no such note."""
    if forget:
        gone = notes.forget(forget)
        if not gone:
            raise UserError(f"there is no note {forget!r}", "/memory shows them")
        return f"Forgotten: {', '.join(map(str, gone))}"
    told = notes.told()
    return f"{told}\n\nThe files are yours to change." if told else "Nothing is remembered yet."
