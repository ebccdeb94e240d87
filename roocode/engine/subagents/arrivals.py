"""What sub-agents have to say, on its way into their parent's conversation: a step of the loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Text


class Takes(Protocol):
    """A conversation, as far as arrivals need it."""

    def add_prompt(self, message: Message) -> None:
        """Stores a user message."""
        ...


@frozen
class Arrival:
    """A framed text, and what is to be done once it is in the conversation."""

    text: str
    delivered: Callable[[], None] = lambda: None


class Arrivals:
    """A queue of notifications. `told` hears of each message that they become, `news` of each that comes."""

    def __init__(self, conversation: Takes, told: Callable[[Message], None] = lambda _message: None) -> None:
        self.news: Callable[[], None] = lambda: None
        self._conversation = conversation
        self._told = told
        self._waiting: deque[Arrival] = deque()
        self._came = asyncio.Event()

    @property
    def waits(self) -> bool:
        """Whether something has come that the parent has not read."""
        return bool(self._waiting)

    def put(self, arrival: Arrival) -> None:
        """Queues one."""
        self._waiting.append(arrival)
        self._came.set()
        self.news()

    async def wait(self) -> None:
        """Waits until something is there that the parent has not read."""
        await self._came.wait()

    async def __call__(self, _tally: Tally) -> bool:
        """Brings all of them into the conversation. They are no outside input: limits count on."""
        if not self._waiting:
            return False
        arrived = tuple(self._waiting)
        self._waiting.clear()
        self._came.clear()
        message = Message("user", tuple(Text(each.text) for each in arrived))
        self._conversation.add_prompt(message)
        for each in arrived:
            each.delivered()
        self._told(message)
        return False
