"""What a wire protocol is to the client: how to ask, and how to read the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from roocode.engine.models.failures import Failures
from roocode.engine.models.profiles import Profile
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.errors import ProviderRefused
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
    """A wire protocol for one endpoint; `profile` holds what the endpoint has taught so far."""

    profile: Profile

    @property
    def path(self) -> str:
        """Where requests go, under the base URL."""
        ...

    @property
    def call_ids(self) -> AbstractSet[str]:
        """The ids of all calls in the requests so far."""
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

    def adapt(self, refusal: ProviderRefused) -> bool:
        """Learns from a refusal which field is not taken there; false if it says nothing of the kind."""
        ...
