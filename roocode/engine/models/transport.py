"""What a transport is: it carries bytes there and back and knows no wire protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from roocode.engine.models.failures import Failures
from roocode.protocol.frozen import frozen

LARGEST_ERROR = 64 * 1024


@frozen
class Answer:
    """The head of a response and its body as it arrives; of an error's body at most LARGEST_ERROR bytes."""

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterator[bytes]


class Transport(Protocol):
    """Carries requests to one endpoint and keeps connections open between them."""

    def send(
        self, path: str, body: bytes, headers: Mapping[str, str], failures: Failures
    ) -> AbstractAsyncContextManager[Answer]:
        """Posts and gives the response as soon as its head is there; leaving the context closes it.

        Raises ProviderRefused or ProviderBusy before there is a response; its pieces raise StreamCut.
        """
        ...

    async def close(self) -> None:
        """Closes the connections."""
        ...
