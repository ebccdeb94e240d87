"""The Anthropic Messages protocol, version 2023-06-01: requests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from roocode.engine.models.anthropic_stream import AnthropicParser
from roocode.engine.models.asking import Asking, headers_of
from roocode.engine.models.bodies import Once, encode_json, encode_object
from roocode.engine.models.call_ids import portable, portable_name
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.profiles import Profile
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
        self._system: Once[str] = Once(lambda text: encode_json(system_params(text)))
        self._tools: Once[tuple[ToolSpec, ...]] = Once(lambda specs: encode_json(tools_params(specs)))
        self.asking = Asking(endpoint, profile, wanted, lambda message: encode_json(self._params(message)))

    def headers(self) -> dict[str, str]:
        """The version, and the key where there is one."""
        endpoint = self.asking.endpoint
        return headers_of(endpoint, {"anthropic-version": VERSION}, bearer=endpoint.bearer)

    def body(self, request: ModelRequest) -> bytes:
        """The request with cache markers on the system prompt, the tools and the last two user messages.

        The provider looks for what it has cached at each marker, and the one before the last is where the
        request before this one ended (docs.anthropic.com, "Prompt caching").
        """
        settings = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "stream": True,
            **self.asking.effort(request, budget=self._thought(request.messages)),
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

    def _thought(self, messages: tuple[Message, ...]) -> bool:
        """Whether a run of calls that goes on was thought about; no budget is taken in one that was not.

        A run is one turn of the assistant's, with thinking from its start or not at all; words beside the
        results begin another (platform.claude.com/docs, "Thinking with tool use").
        """
        return all(_thinks(self._params(answer)["content"][0]) for answer in _first_answers(messages))

    def _params(self, message: Message) -> dict[str, Any]:
        return message_params(message, self.asking.profile, self.asking.endpoint.provider)

    def _encode(self, messages: tuple[Message, ...]) -> list[bytes]:
        encoded = self.asking.messages(messages)
        from_the_end = (index for index in reversed(range(len(messages))) if messages[index].role == "user")
        for index in islice(from_the_end, _MARKED_MESSAGES):
            encoded[index] = encode_json(_marked(self._params(messages[index])))
        return encoded


def _first_answers(messages: tuple[Message, ...]) -> Iterator[Message]:
    """The answers to words in the run of calls that goes on, none where none does; the last one first."""
    for message, before in pairwise(reversed(messages)):
        if message.role == "user" and not message.results:
            return
        if message.role == "assistant" and len(before.results) < max(1, len(before.blocks)):
            yield message


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
