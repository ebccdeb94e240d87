"""How the engine talks to a model: one request, one stream of normalised events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import field, replace
from typing import Any, Literal, Protocol, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Break, Message, StopReason, Usage
from roocode.protocol.tools import ToolSpec

Effort: TypeAlias = Literal["off", "low", "medium", "high"]
"""How hard a model is asked to think before it answers."""

EFFORTS: tuple[Effort, ...] = ("off", "low", "medium", "high")

AGENT_HEADER = "X-RooCode-Agent"
BREAK_HEADER = "X-RooCode-Break"
"""The header that names, on the first request after it, why the prefix of a conversation breaks."""


@frozen
class ModelRequest:
    """What is asked of a model.

    `system` and `tools` are frozen for a session, `messages` only grow: so the provider's cache hits.
    `tool_choice` "none" keeps the tools (and the prefix) but forbids their use.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 8192
    tool_choice: Literal["auto", "none"] = "auto"
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def broken(self, *names: Break) -> ModelRequest:
        """The request with the names of breaks of its prefix."""
        given = [name for name in self.headers.get(BREAK_HEADER, "").split(",") if name]
        new = [name for name in names if name not in given]
        if not new:
            return self
        return replace(self, headers={**self.headers, BREAK_HEADER: ",".join([*given, *new])})


@frozen
class TextDelta:
    """A piece of the answer's text."""

    text: str


@frozen
class ThinkingDelta:
    """A piece of reasoning; `signature` arrives whole, with or after the last piece."""

    text: str = ""
    signature: str | None = None
    redacted: bool = False


@frozen
class CallStarted:
    """A tool call begins; `slot` tells calls of one response apart (0, 1, … in order of their start)."""

    slot: int
    id: str
    name: str


@frozen
class CallArguments:
    """A piece of a call's arguments, as JSON text."""

    slot: int
    text: str


@frozen
class CallEnded:
    """All arguments of a call have come."""

    slot: int


@frozen
class UsageReported:
    """What the response has used so far: the last one counts."""

    usage: Usage


@frozen
class Finished:
    """The last event of a whole stream; a stream without it raises StreamCut.

    `model` is the name that the provider gave, `by` the `provider/model-id` that was asked, `breaks` why the
    request was no continuation of the one before it, as far as the client knows.
    """

    stop: StopReason
    model: str = ""
    by: str = ""
    breaks: tuple[Break, ...] = ()


StreamEvent: TypeAlias = (
    TextDelta | ThinkingDelta | CallStarted | CallArguments | CallEnded | UsageReported | Finished
)


@frozen
class Retrying:
    """A try failed and another follows after `delay_s` seconds; nothing of the failed one counts."""

    attempt: int
    of: int
    delay_s: float
    reason: str


class ModelClient(Protocol):
    """A model behind a wire protocol and a transport."""

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamEvent | Retrying]:
        """Yields the events of one response, `Finished` last.

        Raises ProviderRefused, ProviderBusy or StreamCut. Cancelling the reader closes the connection.
        """
        ...

    async def close(self) -> None:
        """Closes connections."""
        ...


@frozen
class ModelInfo:
    """What is known of a model: sizes in tokens, prices in USD per million tokens (None: unknown)."""

    provider: str
    name: str
    window: int
    max_output: int
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    known: bool = True

    @property
    def full_name(self) -> str:
        """`provider/model-id`."""
        return f"{self.provider}/{self.name}"

    def cost(self, usage: Usage) -> float | None:
        """USD for this usage, or None where a price is unknown."""
        if self.input_price is None or self.output_price is None:
            return None
        read = self.input_price if self.cache_read_price is None else self.cache_read_price
        write = self.input_price if self.cache_write_price is None else self.cache_write_price
        return (
            usage.input_tokens * self.input_price
            + usage.output_tokens * self.output_price
            + usage.cache_read_tokens * read
            + usage.cache_write_tokens * write
        ) / 1_000_000
