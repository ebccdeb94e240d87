"""A transport that keeps the bytes of what passed: quirks are in the bytes, not in what we read from them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from roocode.engine.models.failures import Failures
from roocode.engine.models.transport import Answer, Transport

MOST_KEPT = 4 * 1024 * 1024


@dataclass(slots=True)
class Heard:
    """One answer: the start of its body."""

    body: bytes = b""


class Witness:
    """Implements `Transport` over another one; `heard` holds the answers so far."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.heard: list[Heard] = []

    @asynccontextmanager
    async def send(
        self, path: str, body: bytes, headers: Mapping[str, str], failures: Failures
    ) -> AsyncIterator[Answer]:
        """Posts, and keeps what comes back as it is read."""
        async with self._transport.send(path, body, headers, failures) as answer:
            heard = Heard()
            self.heard.append(heard)
            yield Answer(answer.status, answer.headers, _kept(answer.pieces, heard))

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()


async def _kept(pieces: AsyncIterator[bytes], heard: Heard) -> AsyncIterator[bytes]:
    async for piece in pieces:
        if len(heard.body) < MOST_KEPT:
            heard.body += piece
        yield piece
