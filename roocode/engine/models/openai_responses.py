"""The OpenAI Responses protocol, as OpenAI and compatible servers speak it: requests.

Nothing is stored at the provider: each request holds the whole history, and reasoning goes back sealed, as
`encrypted_content` (developers.openai.com, "Conversation state" and "Reasoning models").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roocode.engine.models.asking import Asking, failed_text, headers_of, session_of
from roocode.engine.models.bodies import Once, encode_json, encode_object
from roocode.engine.models.call_ids import portable, portable_name
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.failures import Failures
from roocode.engine.models.openai_responses_stream import ResponsesParser
from roocode.engine.models.profiles import Profile
from roocode.engine.models.response_items import unsealed
from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from roocode.protocol.models import Effort, ModelRequest
from roocode.protocol.tools import ToolSpec

LEAST_OUTPUT = 16
"""The smallest `max_output_tokens` that OpenAI takes."""

_SEALED_REASONING = "reasoning.encrypted_content"


class ResponsesWire:
    """Asks in the Responses protocol: implements `Wire`."""

    path = "/responses"

    def __init__(self, endpoint: Endpoint, profile: Profile, wanted: Effort | None = None) -> None:
        self._tools: Once[tuple[ToolSpec, ...]] = Once(lambda specs: encode_json(tools_params(specs)))
        self._system: Once[str] = Once(encode_json)
        self._wanted = wanted
        self.asking = Asking(endpoint, profile, wanted, self._encode)

    def headers(self) -> dict[str, str]:
        """The key, where there is one."""
        return headers_of(self.asking.endpoint)

    def body(self, request: ModelRequest) -> bytes:
        """The request; members that the endpoint has refused are left out."""
        optional = {
            "max_output_tokens": max(request.max_tokens, LEAST_OUTPUT),
            "store": False,
            "include": [_SEALED_REASONING],
        }
        if self.asking.profile.cache_key and (session := session_of(request)):
            optional["prompt_cache_key"] = session
        kept = {name: value for name, value in optional.items() if name not in self.asking.profile.dropped}
        settings = {"model": request.model, "stream": True, **kept, **self._thinking(request)}
        settings.update(request.extra)
        members: list[tuple[str, bytes | list[bytes]]] = []
        members += ((name, encode_json(value)) for name, value in settings.items())
        if request.tools:
            members.append(("tools", self._tools(request.tools)))
        if request.system.strip():
            members.append(("instructions", self._system(request.system)))
        members.append(("input", self.asking.messages(request.messages)))
        if request.tools and request.tool_choice == "none":
            members.append(("tool_choice", b'"none"'))
        return encode_object(members)

    def parser(self, failures: Failures) -> ResponsesParser:
        """A fresh parser for one response."""
        return ResponsesParser(failures)

    def _thinking(self, request: ModelRequest) -> dict[str, Any]:
        """The effort, with a summary of the reasoning where there is any: else nobody would see it."""
        members = self.asking.effort(request)
        if "reasoning" in members and self._wanted != "off":
            members["reasoning"] = {**members["reasoning"], "summary": "auto"}
        return members

    def _encode(self, message: Message) -> bytes:
        items = message_items(message, self.asking.profile, self.asking.endpoint.provider)
        return b",".join(encode_json(item) for item in items)


def tools_params(specs: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    """The tools as functions, which are flat here; `strict` would ask for schemas of another kind."""
    return [
        {
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
            "strict": False,
        }
        for spec in specs
    ]


def message_items(message: Message, profile: Profile, provider: str) -> Iterator[dict[str, Any]]:
    """A message as items: results before text, nothing empty, reasoning never without what it led to."""
    if message.role == "user":
        for result in message.results:
            yield _output_item(result, profile)
        if (text := message.text).strip() or not message.results:
            yield {"role": "user", "content": text if text.strip() else "(empty)"}
        return
    last: dict[str, Any] = {}
    for block in message.blocks:
        for last in _assistant_items(block, profile, provider):
            if profile.phases and "phase" not in profile.dropped and last.get("role") == "assistant":
                last["phase"] = "commentary" if message.calls else "final_answer"
            yield last
    if not last or last.get("type") == "reasoning":
        yield {"role": "assistant", "content": "(no answer)"}


def _assistant_items(block: Block, profile: Profile, provider: str) -> Iterator[dict[str, Any]]:
    match block:
        case Text():
            if block.text.strip():
                yield {"role": "assistant", "content": block.text}
        case Thinking():
            yield from _reasoning_items(block, profile, provider)
        case ToolCall():
            yield {
                "type": "function_call",
                "call_id": portable(block.id, profile.call_id),
                "name": portable_name(block.name),
                "arguments": encode_json(block.arguments or {}).decode(),
            }
        case ToolResult():
            pass


def _reasoning_items(block: Thinking, profile: Profile, provider: str) -> Iterator[dict[str, Any]]:
    """Sealed reasoning goes to the provider that sealed it alone."""
    sealed = unsealed(block.signature) if block.signature and block.origin == provider else None
    if sealed and profile.signed_thinking:
        identifier, content = sealed
        summary = [{"type": "summary_text", "text": block.text}] if block.text.strip() else []
        yield {"type": "reasoning", "id": identifier, "summary": summary, "encrypted_content": content}
    elif profile.unsigned_thinking and block.text.strip() and not block.signature and not block.redacted:
        content_parts = [{"type": "reasoning_text", "text": block.text}]
        yield {"type": "reasoning", "summary": [], "content": content_parts}


def _output_item(result: ToolResult, profile: Profile) -> dict[str, Any]:
    call_id = portable(result.call_id, profile.call_id)
    return {"type": "function_call_output", "call_id": call_id, "output": failed_text(result)}
