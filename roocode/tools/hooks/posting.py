"""Sends an event to a hook's address and reads the answer: no redirects, no local network, bounded."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

import httpx2

from roocode.protocol.errors import HostError
from roocode.security.permissions.hosts import host_of, refusal

_HEADERS = {"content-type": "application/json", "user-agent": "roocode", "accept-encoding": "identity"}


async def post(
    url: str, body: bytes, headers: Mapping[str, str], limit: int, *, allow_local: bool
) -> tuple[int, str]:
    """Status and text of the answer. Raises HostError where the address cannot or must not be reached.

    Without `allow_local` a name that leads to an address of this machine or network is refused.
    """
    if not allow_local:
        await _refuse_local(url)
    try:
        async with (
            httpx2.AsyncClient(follow_redirects=False, timeout=None) as client,
            client.stream("POST", url, content=body, headers={**_HEADERS, **headers}) as answer,
        ):
            received = bytearray()
            async for piece in answer.aiter_bytes():
                received += piece
                if len(received) > limit:
                    raise HostError(f"{url} answered with more than {limit:,} bytes")
            return answer.status_code, received.decode(errors="replace")
    except httpx2.HTTPError as error:
        raise HostError(f"{url} could not be asked: {error or type(error).__name__}") from error


async def _refuse_local(url: str) -> None:
    host = host_of(url) or ""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise HostError(f"{host} cannot be found: {error.strerror}") from error
    for *_, address in found:
        name = str(address[0])
        if refusal(f"http://[{name}]" if ":" in name else f"http://{name}"):
            raise HostError(f"{host} leads to an address of this machine or network")
