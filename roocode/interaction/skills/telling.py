"""A step of the loop that tells an agent which skills there are: first, when they change, after a summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.interaction.skills.catalogue import Catalogue
from roocode.interaction.skills.listing import NONE_LEFT, head, listing
from roocode.protocol.messages import REMINDER, Message, Text, reminder


class Tellable(Protocol):
    """A conversation, as far as telling needs it."""

    def messages(self) -> tuple[Message, ...]:
        """What is sent."""
        ...

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


class Telling:
    """Adds the list where the conversation does not hold the one that is true now.

    `offered` says whether the agent can load skills at all; `tell` hears what of the directory has no effect
    any more because its files changed.
    """

    def __init__(
        self,
        conversation: Tellable,
        catalogue: Catalogue,
        offered: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        self._conversation = conversation
        self._catalogue = catalogue
        self._offered = offered
        self._tell = tell
        self._withheld = catalogue.withheld()

    async def __call__(self, _tally: Tally) -> bool:
        """Brings no outside input."""
        self._catalogue.refresh()
        self._tell_withheld()
        if not self._offered():
            return False
        told, now = self._told(), listing(self._catalogue.for_model())
        if not now and told and told != reminder(NONE_LEFT):
            self._conversation.add_prompt(Message("user", (reminder(NONE_LEFT),)))
        elif now and told != reminder(now):
            self._conversation.add_prompt(Message("user", (reminder(now),)))
        return False

    def _told(self) -> Text | None:
        """What was last told."""
        begins = (f"{REMINDER}\n{head()[:60]}", f"{REMINDER}\n{NONE_LEFT}")
        for message in reversed(self._conversation.messages()):
            for block in reversed(message.blocks):
                if isinstance(block, Text) and block.text.startswith(begins):
                    return block
        return None

    def _tell_withheld(self) -> None:
        withheld = self._catalogue.withheld()
        if withheld and withheld != self._withheld:
            self._tell(withheld)
        self._withheld = withheld
