"""The Anthropic Messages protocol, version 2023-06-01: requests."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

from roocode.engine.models import adapting, effort
from roocode.engine.models.anthropic_stream import AnthropicParser
from roocode.engine.models.bodies import MessageBytes, Once, encode_json, encode_object
from roocode.engine.models.call_ids import portable, portable_name
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.profiles import Profile
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from roocode.protocol.models import Effort, ModelRequest
from roocode.protocol.tools import ToolSpec

VERSION = "2023-06-01"

_MARKER = {"cache_control": {"type": "ephemeral"}}
_MARKED_MESSAGES = 2


class AnthropicWire:
    """Asks in the Messages protocol: implements `Wire`."""

    path = "/v1/messages"

    def __init__(self, endpoint: Endpoint, profile: Profile, wanted: Effort | None = None) -> None:
        self._endpoint = endpoint
        self.profile = profile
        self._effort = wanted
        self._asked: effort.EffortForm | None = None
        self._system: Once[str] = Once(lambda text: encode_json(system_params(text)))
        self._tools: Once[tuple[ToolSpec, ...]] = Once(lambda specs: encode_json(tools_params(specs)))
        self._messages = MessageBytes(lambda message: encode_json(self._params(message)))

    @property
    def call_ids(self) -> AbstractSet[str]:
        """The ids of all calls in the requests so far."""
        return self._messages.call_ids

    def headers(self) -> dict[str, str]:
        """The version, and the key where there is one."""
        headers = {"anthropic-version": VERSION, "content-type": "application/json"}
        if self._endpoint.api_key and self._endpoint.bearer:
            headers["authorization"] = f"Bearer {self._endpoint.api_key}"
        elif self._endpoint.api_key:
            headers["x-api-key"] = self._endpoint.api_key
        return {**headers, **self._endpoint.extra_headers}

    def body(self, request: ModelRequest) -> bytes:
        """The request with cache markers on the system prompt, the tools and the last two user messages.

        The provider looks for what it has cached at each marker, and the one before the last is where the
        request before this one ended (docs.anthropic.com, "Prompt caching").
        """
        settings = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "stream": True,
            **self._thinking(request),
            **request.extra,
        }
        members: list[tuple[str, bytes | list[bytes]]] = []
        members += ((name, encode_json(value)) for name, value in settings.items())
        if request.system.strip():
            members.append(("system", self._system(request.system)))
        if request.tools:
            members.append(("tools", self._tools(request.tools)))
        members.append(("messages", self._encode(request.messages)))
        if request.tools and request.tool_choice == "none":
            members.append(("tool_choice", b'{"type":"none"}'))
        return encode_object(members)

    def parser(self, failures: Failures) -> AnthropicParser:
        """A fresh parser for one response."""
        return AnthropicParser(failures)

    def adapt(self, refusal: ProviderRefused) -> bool:
        """Changes the profile where the refusal names thinking that the endpoint does not take."""
        changed = adapting.adapted(self.profile, refusal.what, self._asked)
        if changed is None:
            return False
        if adapting.changes_history(self.profile, changed):
            self._messages.forget()
        self.profile = changed
        return True

    def _thinking(self, request: ModelRequest) -> dict[str, Any]:
        """The effort, but no budget in the middle of a run of calls that began without thinking.

        The provider refuses that: with a budget, an answer that calls tools begins with its thinking.
        """
        self._asked = effort.form_for(request.model, self.profile.efforts) if self._effort else None
        if self._effort is None or self._asked is None:
            return {}
        if self._asked == "budget" and self._effort != "off" and self._calls_without_thinking(request):
            return {}
        return effort.params(self._effort, self._asked, request.model, request.max_tokens)

    def _calls_without_thinking(self, request: ModelRequest) -> bool:
        if len(request.messages) < 2 or not request.messages[-1].results:
            return False
        return not _thinks(self._params(request.messages[-2])["content"][0])

    def _params(self, message: Message) -> dict[str, Any]:
        return message_params(message, self.profile, self._endpoint.provider)

    def _encode(self, messages: tuple[Message, ...]) -> list[bytes]:
        encoded = self._messages(messages)
        from_the_end = (index for index in reversed(range(len(messages))) if messages[index].role == "user")
        for index in islice(from_the_end, _MARKED_MESSAGES):
            encoded[index] = encode_json(_marked(self._params(messages[index])))
        return encoded


def system_params(text: str) -> list[dict[str, Any]]:
    """The system prompt as blocks, the last one marked."""
    return [{"type": "text", "text": text, **_MARKER}]


def tools_params(specs: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    """The tools, the last one marked."""
    tools: list[dict[str, Any]] = [
        {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}
        for spec in specs
    ]
    tools[-1].update(_MARKER)
    return tools


def message_params(message: Message, profile: Profile, provider: str = "") -> dict[str, Any]:
    """A message as the protocol wants it: results first, nothing empty, thinking never last."""
    blocks = sorted(message.blocks, key=lambda block: not isinstance(block, ToolResult))
    content = [params for block in blocks if (params := _block_params(block, profile, provider))]
    if not content or _thinks(content[-1]):
        content.append({"type": "text", "text": "(empty)" if message.role == "user" else "(no answer)"})
    return {"role": message.role, "content": content}


def _block_params(block: Block, profile: Profile, provider: str) -> dict[str, Any] | None:
    match block:
        case Text():
            return {"type": "text", "text": block.text} if block.text.strip() else None
        case Thinking():
            return _thinking_params(block, profile, own=block.origin in ("", provider))
        case ToolCall():
            return {
                "type": "tool_use",
                "id": portable(block.id, profile.call_id),
                "name": portable_name(block.name),
                "input": block.arguments or {},
            }
        case ToolResult():
            result = {
                "type": "tool_result",
                "tool_use_id": portable(block.call_id, profile.call_id),
                "content": block.content if block.content.strip() else "(no output)",
            }
            return {**result, "is_error": True} if block.is_error else result


def _thinking_params(block: Thinking, profile: Profile, *, own: bool) -> dict[str, Any] | None:
    """What a provider sealed goes back to it alone; thinking of others at most as unsigned text."""
    if (block.redacted or block.signature) and own and profile.signed_thinking:
        if block.redacted:
            return {"type": "redacted_thinking", "data": block.text}
        return {"type": "thinking", "thinking": block.text, "signature": block.signature}
    if block.redacted:
        return None
    return {"type": "thinking", "thinking": block.text} if profile.unsigned_thinking and block.text else None


def _thinks(params: dict[str, Any]) -> bool:
    return params["type"] in ("thinking", "redacted_thinking")


def _marked(params: dict[str, Any]) -> dict[str, Any]:
    *others, last = params["content"]
    return {**params, "content": [*others, {**last, **_MARKER}]}
