"""Who may have a say in a run: before its prompt enters, and when the model wants to stop."""

from __future__ import annotations

from typing import Protocol

from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import RunEnd
from roocode.protocol.messages import Message


class Halted(RooCodeError):
    """The run must not go on; a step or a lifecycle raises it."""

    def __init__(self, what: str, end: RunEnd = "failed", *, exit_code: int = 1) -> None:
        super().__init__(what)
        self.end: RunEnd = end
        self.exit_code = exit_code


class Lifecycle(Protocol):
    """What surrounds a run."""

    async def begins(self, prompt: Message | None) -> Message | None:
        """Before a prompt enters: returns it, perhaps with something added. Raises Halted."""
        ...

    async def ends(self, text: str) -> Message | None:
        """The model gave its final answer: what it must hear so that it goes on, or None."""
        ...


class Undisturbed:
    """A run in which nobody has a say."""

    async def begins(self, prompt: Message | None) -> Message | None:
        """The prompt as it is."""
        return prompt

    async def ends(self, text: str) -> Message | None:
        """Nothing."""
        return None
