"""Our use of httpx2: lean clients, and its errors in our words. Imported only when a connection is made."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator

import httpx2

from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.transport import LARGEST_ERROR
from roocode.protocol.errors import ProviderError

_TIMEOUT = httpx2.Timeout(connect=10, read=None, write=60, pool=None)
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=55)


def new_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """A client for one endpoint that follows no redirects and reads errors up to LARGEST_ERROR bytes.

    Proxy and certificate variables are honoured, but a server on this machine is reached without a proxy,
    and where it speaks plain HTTP no certificates are loaded: they cost some 25 ms. Reading has no time limit
    here: the client's patience sets it.
    """
    return httpx2.AsyncClient(
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if _plain(endpoint) else httpx2.create_ssl_context(),
        trust_env=not endpoint.loopback,
        follow_redirects=False,
        timeout=_TIMEOUT,
        limits=_LIMITS,
        headers={"user-agent": "roocode", "accept-encoding": "identity"},
        event_hooks={"response": [_bound_error]},
    )


def failure(error: httpx2.HTTPError, failures: Failures, *, answered: bool) -> ProviderError:
    """The error in our words: a response that had begun was cut, any other server was not reached."""
    why = str(error) or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in why:
        return failures.untrusted(why)
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return failures.unsendable(type(error).__name__)
    if answered:
        return failures.cut(why)
    return failures.unreachable(why)


async def pieces_of(response: httpx2.Response, failures: Failures) -> AsyncIterator[bytes]:
    """The body as it arrives, decoded. Raises StreamCut."""
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except httpx2.HTTPError as error:
        raise failure(error, failures, answered=True) from error


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = LARGEST_ERROR
        async for piece in self._stream:
            yield piece[:room]
            room -= len(piece)
            if room <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound_error(response: httpx2.Response) -> None:
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def _plain(endpoint: Endpoint) -> bool:
    """Whether no certificate can be needed: plain HTTP, and no proxy that might speak TLS."""
    return endpoint.loopback and endpoint.base_url.startswith("http://")
