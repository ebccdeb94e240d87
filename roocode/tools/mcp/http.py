"""The HTTP side of a connection: headers, a login, and limits on what a server may send at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from roocode.tools.mcp.config import ServerConfig

LONGEST_EVENT = 32 * 1024 * 1024
_LONGEST_BODY = 32 * 1024 * 1024
_TIMEOUT_S = 30.0
_SILENCE_S = 600.0


class Witness:
    """What the server's last response was, since the SDK's errors do not say it."""

    def __init__(self) -> None:
        self.status = 0

    @property
    def wants_login(self) -> bool:
        """Whether it refused for want of a login."""
        return self.status == httpx2.codes.UNAUTHORIZED

    async def __call__(self, response: httpx2.Response) -> None:
        """Looks at a response; one without an end is cut off. An event stream has a limit of its own."""
        self.status = response.status_code
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Capped(response.stream)


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = _LONGEST_BODY
        async for piece in self._inner:
            room -= len(piece)
            if room < 0:
                raise httpx2.ReadError(f"the server's answer has more than {_LONGEST_BODY:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def http_client(headers: Mapping[str, str], witness: Witness, auth: Any = None) -> httpx2.AsyncClient:
    """A client with the entry's headers; it follows no redirect to another origin (the SDK sees to it)."""
    return httpx2.AsyncClient(
        headers={"User-Agent": "RooCode", **headers},
        timeout=httpx2.Timeout(_TIMEOUT_S, read=_SILENCE_S),
        auth=auth,
        event_hooks={"response": [witness]},
    )


def streams(config: ServerConfig, client: httpx2.AsyncClient) -> AbstractAsyncContextManager[Any]:
    """The transport that the SDK's client takes."""
    if config.transport == "sse":
        return _sse(config, client)
    chosen: AbstractAsyncContextManager[Any] = streamable_http_client(
        config.url, http_client=client, max_sse_event_size=LONGEST_EVENT
    )
    return chosen


def _sse(config: ServerConfig, client: httpx2.AsyncClient) -> AbstractAsyncContextManager[Any]:
    """The transport of before 2025; it makes its own client, which is this one."""
    chosen: AbstractAsyncContextManager[Any] = sse_client(
        config.url,
        headers=dict(config.headers),
        sse_read_timeout=_SILENCE_S,
        httpx_client_factory=lambda **_: client,
    )
    return chosen
