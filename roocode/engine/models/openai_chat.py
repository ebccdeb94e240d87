"""The OpenAI Chat Completions protocol, as OpenAI and its many compatible servers speak it: requests."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from roocode.engine.models import adapting, effort
from roocode.engine.models.bodies import MessageBytes, Once, encode_json, encode_object
from roocode.engine.models.call_ids import portable, portable_name
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.openai_stream import ChatParser
from roocode.engine.models.profiles import Profile
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult
from roocode.protocol.models import Effort, ModelRequest
from roocode.protocol.tools import ToolSpec

_ERROR = "Error:"


class ChatWire:
    """Asks in Chat Completions: implements `Wire`."""

    path = "/chat/completions"

    def __init__(self, endpoint: Endpoint, profile: Profile, wanted: Effort | None = None) -> None:
        self._endpoint = endpoint
        self.profile = profile
        self._effort = wanted
        self._asked: effort.EffortForm | None = None
        self._reasoning_seen = ""
        self._system: Once[str] = Once(lambda text: encode_json({"role": "system", "content": text}))
        self._tools: Once[tuple[ToolSpec, ...]] = Once(lambda specs: encode_json(tools_params(specs)))
        self._messages = MessageBytes(self._encode)

    @property
    def call_ids(self) -> AbstractSet[str]:
        """The ids of all calls in the requests so far."""
        return self._messages.call_ids

    def headers(self) -> dict[str, str]:
        """The key, where there is one."""
        headers = {"content-type": "application/json"}
        if self._endpoint.api_key:
            headers["authorization"] = f"Bearer {self._endpoint.api_key}"
        return {**headers, **self._endpoint.extra_headers}

    def body(self, request: ModelRequest) -> bytes:
        """The request, with usage asked for where the endpoint takes that."""
        profile = self.profile
        settings: dict[str, Any] = {
            "model": request.model,
            profile.limit_field: request.max_tokens,
            "stream": True,
        }
        if profile.include_usage:
            settings["stream_options"] = {"include_usage": True}
        if profile.cache_key and "prompt_cache_key" not in profile.dropped and session_of(request):
            settings["prompt_cache_key"] = session_of(request)
        self._asked = effort.form_for(request.model, profile.efforts) if self._effort else None
        if self._effort and self._asked:
            settings.update(effort.params(self._effort, self._asked, request.model, request.max_tokens))
        members: list[tuple[str, bytes | list[bytes]]] = []
        members += ((name, encode_json(value)) for name, value in {**settings, **request.extra}.items())
        if request.tools:
            members.append(("tools", self._tools(request.tools)))
        system = self._system(request.system) if request.system.strip() else b""
        members.append(("messages", [system, *self._messages(request.messages)]))
        if request.tools and request.tool_choice == "none":
            members.append(("tool_choice", b'"none"'))
        return encode_object(members)

    def parser(self, failures: Failures) -> ChatParser:
        """A fresh parser for one response."""
        return ChatParser(failures, self._saw_reasoning)

    def adapt(self, refusal: ProviderRefused) -> bool:
        """Changes the profile where the refusal names a field that the endpoint does not take."""
        changed = adapting.adapted(self.profile, refusal.what, self._asked)
        if changed is None:
            return False
        if adapting.changes_history(self.profile, changed):
            self._messages.forget()
        self.profile = changed
        return True

    def _saw_reasoning(self, field: str) -> None:
        self._reasoning_seen = field

    def _encode(self, message: Message) -> bytes:
        field = self.profile.reasoning_field and (self._reasoning_seen or self.profile.reasoning_field)
        params = message_params(message, self.profile, field, self._endpoint.provider)
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


def session_of(request: ModelRequest) -> str:
    """The session that a request belongs to, as its headers say; "" where they do not."""
    return request.headers.get("X-RooCode-Session", "")


def failed_text(result: ToolResult) -> str:
    """A result's text, never empty; of a failed call it begins with `Error:`."""
    content = result.content if result.content.strip() else "(no output)"
    return f"{_ERROR} {content}" if result.is_error and not content.startswith(_ERROR) else content


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
