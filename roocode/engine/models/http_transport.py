"""The default transport: plain httpx2."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2

from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.http_client import failure, new_client, pieces_of
from roocode.engine.models.transport import Answer


class HttpTransport:
    """Implements `Transport`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = new_client(endpoint)

    @asynccontextmanager
    async def send(
        self, path: str, body: bytes, headers: Mapping[str, str], failures: Failures
    ) -> AsyncIterator[Answer]:
        """Posts and gives the response as soon as its head is there."""
        url = self._endpoint.url(path)
        try:
            request = self._client.build_request("POST", url, content=body, headers=headers)
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise failure(error, failures, answered=False) from error
        except httpx2.InvalidURL as error:
            raise failures.unsendable(str(error)) from error
        try:
            yield Answer(response.status_code, response.headers, pieces_of(response, failures))
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()
