"""The other transport: the official SDK's own client, `anthropic` or `openai`, imported when first used.

The SDK brings its credentials (profiles, Bedrock, Vertex, Azure) and signs requests; bodies are ours, and
the response's bytes come to us before the SDK reads them, since its own readers lose streams: events without
an `event:` line, a stream that ends early, chunks that are no JSON. It does not retry: our wrapper does.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from roocode.engine.models import sdk_clients
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.http_client import failure, new_client, pieces_of
from roocode.engine.models.transport import Answer


class SdkTransport:
    """Implements `Transport`. Raises HostError where the SDK lacks a part or finds no credentials."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._http = new_client(endpoint)
        self._sdk = sdk_clients.connect(endpoint, self._http)

    @asynccontextmanager
    async def send(
        self, path: str, body: bytes, headers: Mapping[str, str], failures: Failures
    ) -> AsyncIterator[Answer]:
        """Posts and gives the response as soon as its head is there."""
        response = await self._post(path, body, headers, failures)
        try:
            yield Answer(response.status_code, response.headers, pieces_of(response, failures))
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _post(
        self, path: str, body: bytes, headers: Mapping[str, str], failures: Failures
    ) -> httpx2.Response:
        sdk = self._sdk
        content: dict[str, Any] = {"content": body} if sdk.sends_bytes else {"body": json.loads(body)}
        try:
            stream = await sdk.client.post(
                path,
                cast_to=object,
                options={"headers": sdk.headers(headers)},
                stream=True,
                stream_cls=sdk.module.AsyncStream[object],
                **content,
            )
        except sdk.module.APIStatusError as error:
            response: httpx2.Response = error.response
            return response
        except sdk.module.APIConnectionError as error:
            cause = error.__cause__
            raise (
                failure(cause, failures, answered=False)
                if isinstance(cause, httpx2.HTTPError)
                else failures.unreachable(str(error))
            ) from error
        found: httpx2.Response = stream.response
        return found
