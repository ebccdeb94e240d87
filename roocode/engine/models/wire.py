"""What a wire protocol is to the client: how to ask, and how to read the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from roocode.engine.models.asking import Asking
from roocode.engine.models.failures import Failures
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.models import ModelRequest, StreamEvent


class Parser(Protocol):
    """Turns the events of one response into ours; does no I/O.

    `settled` is true once the answer is whole, `complete` once its last event has come as well: until then
    usage may follow. Raises ProviderRefused, ProviderBusy or StreamCut.
    """

    settled: bool
    complete: bool

    def event(self, event: ServerSentEvent) -> Iterator[StreamEvent]:
        """What this event means."""
        ...

    def whole(self, body: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """What a response means that was not streamed."""
        ...

    def end(self) -> Iterator[StreamEvent]:
        """What the end of the stream means: StreamCut, unless the answer is settled."""
        ...


class Wire(Protocol):
    """A wire protocol for one endpoint; `asking` is what all protocols share."""

    asking: Asking

    @property
    def path(self) -> str:
        """Where requests go, under the base URL."""
        ...

    def headers(self) -> dict[str, str]:
        """Credentials and protocol version."""
        ...

    def body(self, request: ModelRequest) -> bytes:
        """The request as JSON, a prefix of the next one but for cache markers."""
        ...

    def parser(self, failures: Failures) -> Parser:
        """A fresh parser for one response."""
        ...
