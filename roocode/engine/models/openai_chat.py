"""The OpenAI Chat Completions protocol, as OpenAI and its many compatible servers speak it: requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roocode.engine.models.asking import Asking, failed_text, headers_of, session_of
from roocode.engine.models.bodies import Once, encode_json, encode_object
from roocode.engine.models.call_ids import portable, portable_name
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.openai_stream import ChatParser
from roocode.engine.models.profiles import Profile
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult
from roocode.protocol.models import Effort, ModelRequest
from roocode.protocol.tools import ToolSpec


class ChatWire:
    """Asks in Chat Completions: implements `Wire`."""

    path = "/chat/completions"

    def __init__(self, endpoint: Endpoint, profile: Profile, wanted: Effort | None = None) -> None:
        self._reasoning_seen = ""
        self._system: Once[str] = Once(lambda text: encode_json({"role": "system", "content": text}))
        self._tools: Once[tuple[ToolSpec, ...]] = Once(lambda specs: encode_json(tools_params(specs)))
        self.asking = Asking(endpoint, profile, wanted, self._encode)

    def headers(self) -> dict[str, str]:
        """The key, where there is one."""
        return headers_of(self.asking.endpoint)

    def body(self, request: ModelRequest) -> bytes:
        """The request, with usage asked for where the endpoint takes that."""
        profile = self.asking.profile
        settings: dict[str, Any] = {
            "model": request.model,
            profile.limit_field: request.max_tokens,
            "stream": True,
        }
        if profile.include_usage:
            settings["stream_options"] = {"include_usage": True}
        if profile.cache_key and "prompt_cache_key" not in profile.dropped and session_of(request):
            settings["prompt_cache_key"] = session_of(request)
        settings.update(self.asking.effort(request))
        members: list[tuple[str, bytes | list[bytes]]] = []
        members += ((name, encode_json(value)) for name, value in {**settings, **request.extra}.items())
        if request.tools:
            members.append(("tools", self._tools(request.tools)))
        system = self._system(request.system) if request.system.strip() else b""
        members.append(("messages", [system, *self.asking.messages(request.messages)]))
        if request.tools and request.tool_choice == "none":
            members.append(("tool_choice", b'"none"'))
        return encode_object(members)

    def parser(self, failures: Failures) -> ChatParser:
        """A fresh parser for one response."""
        return ChatParser(failures, self._saw_reasoning)

    def _saw_reasoning(self, field: str) -> None:
        self._reasoning_seen = field

    def _encode(self, message: Message) -> bytes:
        profile = self.asking.profile
        field = profile.reasoning_field and (self._reasoning_seen or profile.reasoning_field)
        params = message_params(message, profile, field, self.asking.endpoint.provider)
        return b",".join(encode_json(each) for each in params)


def tools_params(specs: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    """The tools as functions."""
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
        }
        for spec in specs
    ]


def message_params(
    message: Message, profile: Profile, reasoning_field: str, provider: str = ""
) -> Iterator[dict[str, Any]]:
    """A message as the protocol wants it: each result is a message of its own, before the text.

    The protocol has no flag for a failed result, so its text begins with `Error:`. Nothing is empty.
    Unsigned reasoning goes back in `reasoning_field`: some endpoints refuse a history that lost it, and to
    those the reasoning of another provider goes where there is none of their own.
    """
    if message.role == "assistant":
        yield _assistant_params(message, profile, reasoning_field, provider)
        return
    for result in message.results:
        yield _result_params(result, profile)
    if (text := message.text).strip() or not message.results:
        yield {"role": "user", "content": text if text.strip() else "(empty)"}


def _assistant_params(
    message: Message, profile: Profile, reasoning_field: str, provider: str
) -> dict[str, Any]:
    text = "\n\n".join(
        block.text for block in message.blocks if isinstance(block, Text) and block.text.strip()
    )
    params: dict[str, Any] = {
        "role": "assistant",
        "content": text or (None if message.calls else "(no answer)"),
    }
    thinking = [block for block in message.blocks if isinstance(block, Thinking) and not block.redacted]
    own = [block for block in thinking if _own(block, provider)]
    thoughts = [block.text for block in (own or (thinking if profile.reasoning_always else []))]
    if reasoning_field and (thoughts or (profile.reasoning_always and message.calls)):
        params[reasoning_field] = "".join(thoughts)
    if message.calls:
        params["tool_calls"] = [_call_params(call, profile) for call in message.calls]
    return params


def _own(block: Thinking, provider: str) -> bool:
    """Whether this reasoning came from here: unsigned, and of no other provider."""
    return not block.signature and block.origin in ("", provider)


def _call_params(call: ToolCall, profile: Profile) -> dict[str, Any]:
    return {
        "id": portable(call.id, profile.call_id),
        "type": "function",
        "function": {
            "name": portable_name(call.name),
            "arguments": encode_json(call.arguments or {}).decode(),
        },
    }


def _result_params(result: ToolResult, profile: Profile) -> dict[str, Any]:
    call_id = portable(result.call_id, profile.call_id)
    return {"role": "tool", "tool_call_id": call_id, "content": failed_text(result)}
