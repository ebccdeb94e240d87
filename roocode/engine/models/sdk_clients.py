"""Makes the official SDKs' clients, one kind a platform."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import httpx2

from roocode.engine.models.endpoint import Endpoint
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen

_OURS = {"authorization", "x-api-key", "anthropic-version", "openai-organization", "openai-project"}


@frozen
class SdkClient:
    """An SDK's module and client.

    `sends_bytes` is false where the client reads the body to find its address. `keeps_headers` is true where
    the client's own credentials and version count, not ours.
    """

    module: ModuleType
    client: Any
    sends_bytes: bool = True
    keeps_headers: bool = False

    def headers(self, ours: Mapping[str, str]) -> dict[str, Any]:
        """The headers of a request: where ours count, the SDK's of the same meaning are left out."""
        if self.keeps_headers:
            return {name: value for name, value in ours.items() if name.lower() not in _OURS}
        return {**{name: self.module.Omit() for name in _OURS if name not in ours}, **ours}


def connect(endpoint: Endpoint, http: httpx2.AsyncClient) -> SdkClient:
    """The SDK's client for this endpoint over our HTTP client.

    Raises UserError where the SDK finds no credentials or address, HostError where it lacks an extra.
    """
    try:
        return _anthropic(endpoint, http) if endpoint.protocol == "anthropic" else _openai(endpoint, http)
    except ImportError as error:
        raise HostError(
            f"the SDK needs a package for {endpoint.platform}: {error}",
            f"Install it: pip install 'anthropic[{endpoint.platform}]'.",
        ) from error


def _anthropic(endpoint: Endpoint, http: httpx2.AsyncClient) -> SdkClient:
    import anthropic

    common: dict[str, Any] = {"http_client": http, "timeout": http.timeout, "max_retries": 0}
    pair = _pair(endpoint)
    try:
        match endpoint.platform:
            case "direct":
                client: Any = anthropic.AsyncAnthropic(base_url=endpoint.base_url, api_key="unused", **common)
                return SdkClient(anthropic, client)
            case "profile":
                _refuse_address(endpoint)
                return SdkClient(anthropic, anthropic.AsyncAnthropic(**common), keeps_headers=True)
            case "bedrock":
                client = anthropic.AsyncAnthropicBedrockMantle(**pair, **common)
                return SdkClient(anthropic, client, keeps_headers=True)
            case "vertex":
                address = {"base_url": endpoint.base_url} if endpoint.base_url else {}
                client = anthropic.AsyncAnthropicVertex(access_token=endpoint.api_key, **address, **common)
                return SdkClient(anthropic, client, sends_bytes=False, keeps_headers=True)
            case "azure":
                client = anthropic.AsyncAnthropicFoundry(**pair, **common)
                return SdkClient(anthropic, client, keeps_headers=True)
    except (anthropic.AnthropicError, httpx2.InvalidURL, ValueError) as error:
        raise _unconfigured(endpoint, error) from error


def _openai(endpoint: Endpoint, http: httpx2.AsyncClient) -> SdkClient:
    import openai

    common: dict[str, Any] = {"http_client": http, "timeout": http.timeout, "max_retries": 0}
    try:
        if endpoint.platform == "azure":
            address = {"azure_endpoint": endpoint.base_url} if endpoint.base_url else {}
            client: Any = openai.AsyncAzureOpenAI(api_key=endpoint.api_key, **address, **common)
            return SdkClient(openai, client, sends_bytes=False, keeps_headers=True)
        if endpoint.platform == "direct":
            client = openai.AsyncOpenAI(base_url=endpoint.base_url, api_key="unused", **common)
            return SdkClient(openai, client)
    except (openai.OpenAIError, httpx2.InvalidURL) as error:
        raise _unconfigured(endpoint, error) from error
    raise UserError(
        f"provider {endpoint.provider}: the openai protocol has no platform {endpoint.platform!r}",
        "Use direct or azure.",
    )


def _refuse_address(endpoint: Endpoint) -> None:
    """A credential that the SDK finds belongs to the address that it finds with it."""
    if endpoint.base_url or endpoint.api_key:
        raise UserError(
            f"provider {endpoint.provider}: a profile brings its own address and credentials",
            "Remove base_url and api_key_env, or the platform.",
        )


def _pair(endpoint: Endpoint) -> dict[str, Any]:
    """Key and address, where they are set: the SDK looks for those that are not."""
    pair = {"base_url": endpoint.base_url, "api_key": endpoint.api_key}
    return {name: value for name, value in pair.items() if value}


def _unconfigured(endpoint: Endpoint, error: Exception) -> UserError:
    first_line = str(error).partition("\n")[0]
    return UserError(
        f"provider {endpoint.provider} on {endpoint.platform} is not set up: {first_line}",
        "Set what the official SDK needs there, or another provider.",
    )
