"""Makes the client of an endpoint."""

from __future__ import annotations

from collections.abc import Callable

from roocode.engine.models.client import Patience, WireClient
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.profiles import Profile, profile_of
from roocode.engine.models.retry import RetryingClient, RetryPolicy
from roocode.engine.models.text_calls import TextCallClient
from roocode.engine.models.transport import Transport
from roocode.engine.models.wire import Wire
from roocode.protocol.models import Effort, ModelClient


def connect(
    endpoint: Endpoint,
    retry: RetryPolicy | None = None,
    patience: Patience | None = None,
    *,
    effort: Effort | None = None,
    profile: Profile | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> ModelClient:
    """A client that retries. It imports the protocol and the transport it needs, and opens nothing yet.

    The transport is httpx2, or the official SDK's client where the endpoint says so or needs the SDK's
    credentials. `effort` None asks for none: the provider's default. `profile` replaces what is known of the
    host. `tell` hears what a person should know. Raises UserError or HostError where the SDK is not set up.
    """
    known = profile or profile_of(endpoint)
    wire = wire_of(endpoint, known, effort)
    client = WireClient(endpoint, wire, transport_of(endpoint), patience or Patience(), tell)
    reading = TextCallClient(client, endpoint.provider, tell, enabled=known.text_calls)
    return RetryingClient(reading, retry or RetryPolicy())


def wire_of(endpoint: Endpoint, profile: Profile, effort: Effort | None = None) -> Wire:
    """The endpoint's protocol, imported when it is needed."""
    match endpoint.protocol:
        case "anthropic":
            from roocode.engine.models.anthropic import AnthropicWire

            return AnthropicWire(endpoint, profile, effort)
        case "openai":
            from roocode.engine.models.openai_chat import ChatWire

            return ChatWire(endpoint, profile, effort)
        case "openai-responses":
            from roocode.engine.models.openai_responses import ResponsesWire

            return ResponsesWire(endpoint, profile, effort)


def transport_of(endpoint: Endpoint) -> Transport:
    """The endpoint's transport, imported when it is needed."""
    if endpoint.transport == "sdk" or endpoint.platform != "direct":
        from roocode.engine.models.sdk_transport import SdkTransport

        return SdkTransport(endpoint)
    from roocode.engine.models.http_transport import HttpTransport

    return HttpTransport(endpoint)
