"""What the chat needs of a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol

from roocode.interaction.ui.terminal.choices import Choice
from roocode.protocol.commands import Command
from roocode.protocol.decisions import Mode
from roocode.protocol.events import Event


class ChatScreen(Protocol):
    """Shows events and gives commands, while `run` goes on."""

    @property
    def show(self) -> Callable[[Event], None]:
        """Takes in one event."""
        ...

    def show_mode(self, mode: Mode) -> None:
        """Says which permission mode holds from now on."""
        ...

    async def choose(self, choice: Choice) -> str | None:
        """Asks the person one of the model's questions; None when they would not answer."""
        ...

    def commands(self) -> AsyncIterator[Command]:
        """The person's commands; Leave is the last."""
        ...

    async def run(self) -> None:
        """Runs until `close`, or until the terminal goes away, which is the person leaving."""
        ...

    def close(self) -> None:
        """Leaves the screen; what is finished is printed first."""
        ...
