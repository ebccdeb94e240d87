"""The person's words while a run goes on: they enter the conversation before the next request."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.protocol.messages import Message


class Takes(Protocol):
    """A conversation, as far as steering needs it."""

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


class Steering:
    """A queue of prompts, as a step of the loop. `told` hears of each as it enters the conversation."""

    def __init__(self, conversation: Takes, told: Callable[[Message], None] = lambda _message: None) -> None:
        self._conversation = conversation
        self._told = told
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
        while (message := self.next()) is not None:
            self._conversation.add_prompt(message)
            self._told(message)
            brought = True
        return brought
