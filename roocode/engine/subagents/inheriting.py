"""A sub-agent's own model, and its parent's where the provider has no such model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from roocode.protocol.errors import ProviderRefused
from roocode.protocol.models import ModelClient, ModelInfo, ModelRequest, Retrying, StreamEvent

NOT_THERE = 404


class InheritingClient:
    """Implements `ModelClient`. `tell` hears once that the parent's model answers."""

    def __init__(
        self, own: ModelClient, parent: ModelClient, inherited: ModelInfo, tell: Callable[[str], None]
    ) -> None:
        self._own: ModelClient | None = own
        self._parent = parent
        self._inherited = inherited
        self._tell = tell

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
        """Yields the events of one response."""
        if self._own is not None:
            try:
                async with aclosing(_opened(self._own, request)) as events:
                    async for event in events:
                        yield event
                return
            except ProviderRefused as refused:
                if refused.status != NOT_THERE:
                    raise
                self._tell(f"{refused.what}; {self._inherited.full_name} answers instead")
                self._own = None
        limit = min(request.max_tokens, self._inherited.max_output)
        inherited = replace(request, model=self._inherited.name, max_tokens=limit)
        async with aclosing(_opened(self._parent, inherited)) as events:
            async for event in events:
                yield event

    async def close(self) -> None:
        """Nothing: both clients are their owner's."""


def _opened(client: ModelClient, request: ModelRequest) -> AsyncGenerator[StreamEvent | Retrying, None]:
    return cast("AsyncGenerator[StreamEvent | Retrying, None]", client.stream(request))
