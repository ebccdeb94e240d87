"""Remember: a note that outlives the session."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import NoteKeeper, Services
from roocode.tools.typed_tool import Action, make_tool


@frozen
class RememberInput(Input):
    """What Remember takes."""

    kind: Literal["user", "feedback", "project", "reference"]
    """user and feedback follow the person everywhere; project and reference belong to this project."""
    name: Annotated[str, Limit(min_length=1, max_length=60)]
    """A short name; the same name later replaces the note."""
    text: Annotated[str, Limit(min_length=1, max_length=8_000)]
    """The fact, so that it is understood without this conversation."""


class Remember(Action[RememberInput]):
    """Keeps notes."""

    def __init__(self, notes: NoteKeeper) -> None:
        self._notes = notes

    def touches(self, given: RememberInput) -> Touches:
        """Nothing of the project: notes are the program's own files."""
        return Touches()

    async def run(self, given: RememberInput) -> ToolOutcome:
        """Writes the note, or over one that says the same."""
        return ToolOutcome(await asyncio.to_thread(self._notes.keep, given.kind, given.name, given.text))


def build(services: Services) -> Tool | None:
    """Remember, where there is a place for notes."""
    return make_tool(__name__, RememberInput, Remember(services.notes)) if services.notes else None
