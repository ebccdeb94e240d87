"""Makes the client of an endpoint."""

from __future__ import annotations

from roocode.engine.models.client import Patience, WireClient
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.profiles import profile_of
from roocode.engine.models.retry import RetryingClient, RetryPolicy
from roocode.engine.models.transport import Transport
from roocode.engine.models.wire import Wire
from roocode.protocol.models import ModelClient


def connect(
    endpoint: Endpoint, retry: RetryPolicy | None = None, patience: Patience | None = None
) -> ModelClient:
    """A client that retries. It imports the protocol and the transport it needs, and opens nothing yet.

    The transport is httpx2, or the official SDK's client where the endpoint says so or needs the SDK's
    credentials. Raises UserError or HostError where the SDK is not set up.
    """
    client = WireClient(endpoint, _wire(endpoint), _transport(endpoint), patience or Patience())
    return RetryingClient(client, retry or RetryPolicy())


def _wire(endpoint: Endpoint) -> Wire:
    profile = profile_of(endpoint)
    if endpoint.protocol == "anthropic":
        from roocode.engine.models.anthropic import AnthropicWire

        return AnthropicWire(endpoint, profile)
    from roocode.engine.models.openai_chat import ChatWire

    return ChatWire(endpoint, profile)


def _transport(endpoint: Endpoint) -> Transport:
    if endpoint.transport == "sdk" or endpoint.platform != "direct":
        from roocode.engine.models.sdk_transport import SdkTransport

        return SdkTransport(endpoint)
    from roocode.engine.models.http_transport import HttpTransport

    return HttpTransport(endpoint)
