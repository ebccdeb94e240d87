"""What the loop works on: a model, guarded tools, a conversation, and where events go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol

from roocode.engine.loop.lifecycle import Lifecycle, Undisturbed
from roocode.engine.loop.limits import Limit, Limits, Tally
from roocode.memory.sessions.breaks import Breaks
from roocode.protocol.events import Event
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Reply, ToolCall, ToolResult
from roocode.protocol.models import ModelClient, ModelInfo
from roocode.security.guard import GuardedToolset


class Conversation(Protocol):
    """The history: each addition is stored before it is shown."""

    @property
    def breaks(self) -> Breaks:
        """Where what is sent is no continuation of what was sent before."""
        ...

    def messages(self) -> tuple[Message, ...]:
        """What is sent: append-only, but for those breaks."""
        ...

    def add_prompt(self, message: Message) -> None:
        """Adds a user message."""
        ...

    def add_reply(self, reply: Reply) -> Reply:
        """Adds an answer and returns it as kept."""
        ...

    def add_result(self, result: ToolResult) -> None:
        """Adds the result of one call."""
        ...

    def settle_results(self) -> None:
        """Puts the results of the last answer in the order of its calls."""
        ...

    def close_open_calls(self, why: str) -> tuple[ToolCall, ...]:
        """Gives each call without a result an error result; returns those calls."""
        ...


class Step(Protocol):
    """Something done before each request: mail, steering, room in the context.

    Returns True when it brought outside input, from which turn limits count anew. What it spends itself it
    adds to the tally.
    """

    async def __call__(self, tally: Tally, /) -> bool: ...


class Bound(Protocol):
    """A limit that others use up too: what a team may spend."""

    async def reached(self) -> Limit | None:
        """The limit that leaves no room for another request, or None."""
        ...


@frozen
class Steps:
    """Several steps as one, in their order."""

    steps: tuple[Step, ...]

    async def __call__(self, tally: Tally) -> bool:
        """Does them all; True where one brought outside input."""
        brought = [await step(tally) for step in self.steps]
        return any(brought)


@frozen
class Filling:
    """How full a window is, in tokens: system prompt and tools, and messages.

    `error` is how far the estimate was off when the provider last counted: 0.1 where ten per cent too high.
    """

    frame: int
    messages: int
    window: int
    error: float | None = None

    @property
    def used(self) -> int:
        """All that the next request has."""
        return self.frame + self.messages


class MakesRoom(Protocol):
    """Keeps a conversation within the model's window."""

    def filling(self) -> Filling:
        """How full the window is now."""
        ...

    async def compact(self, tally: Tally, focus: str = "") -> bool:
        """Makes a summary now; False where there is nothing to summarise."""
        ...

    async def overflowed(self, tally: Tally) -> bool:
        """The provider refused the conversation for its length: makes it shorter; False where it cannot."""
        ...


@frozen
class Brain:
    """The model of an agent: client, facts, the frozen system prompt, and the headers of its requests.

    `others` are the models that may answer in place of this one.
    """

    client: ModelClient
    info: ModelInfo
    system: str
    headers: Mapping[str, str] = field(default_factory=dict)
    max_tokens: int = 8192
    others: tuple[ModelInfo, ...] = ()

    def cost(self, reply: Reply) -> float | None:
        """USD for an answer, at the price of the model that gave it; None where that is not known."""
        answered = next((info for info in self.others if info.full_name == reply.by), self.info)
        return answered.cost(reply.usage)


@frozen
class Agent:
    """All that one loop needs; it knows no role.

    `before_end` are steps for the moment when the model calls no tool any more: one that gives True has
    brought something to go on with.
    """

    id: str
    parent: str | None
    brain: Brain
    tools: GuardedToolset
    conversation: Conversation
    emit: Callable[[Event], None]
    limits: Limits = field(default_factory=Limits)
    bound: Bound | None = None
    before_request: tuple[Step, ...] = ()
    before_end: tuple[Step, ...] = ()
    room: MakesRoom | None = None
    life: Lifecycle = field(default_factory=Undisturbed)
