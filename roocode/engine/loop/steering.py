"""The person's words while a run goes on: they enter the conversation before the next request."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.protocol.messages import Message


class Takes(Protocol):
    """A conversation, as far as steering needs it."""

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


class Steering:
    """A queue of prompts, as a step of the loop. `told` hears of each as it enters the conversation.

    `admits` gives a prompt that came during a run, perhaps with something added, or None: it is left out.
    """

    def __init__(self, conversation: Takes, told: Callable[[Message], None] = lambda _message: None) -> None:
        self._conversation = conversation
        self._told = told
        self.admits: Callable[[Message], Awaitable[Message | None]] | None = None
        self._waiting: deque[Message] = deque()

    def say(self, message: Message) -> None:
        """Queues a prompt."""
        self._waiting.append(message)

    @property
    def waits(self) -> bool:
        """Whether something is queued."""
        return bool(self._waiting)

    def next(self) -> Message | None:
        """Takes the oldest prompt out, to start a run with it."""
        return self._waiting.popleft() if self._waiting else None

    def clear(self) -> None:
        """Forgets what is queued."""
        self._waiting.clear()

    async def __call__(self, _tally: Tally) -> bool:
        """Brings all that is queued into the conversation; True where there was anything."""
        brought = False
        while (waiting := self.next()) is not None:
            message = waiting if self.admits is None else await self.admits(waiting)
            if message is None:
                continue
            self._conversation.add_prompt(message)
            self._told(message)
            brought = True
        return brought
