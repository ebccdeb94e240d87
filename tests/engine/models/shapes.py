"""A shape of response that servers really send, with the events that it must give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roocode.engine.models.endpoint import WireName
from roocode.protocol.errors import ProviderError
from roocode.protocol.models import StreamEvent


@dataclass(frozen=True)
class Shape:
    """A body in pieces, the events it gives, and the error it ends with, if it does."""

    name: str
    protocol: WireName
    pieces: Sequence[bytes]
    events: Sequence[StreamEvent]
    error: type[ProviderError] | None = None
    content_type: str = "text/event-stream"
