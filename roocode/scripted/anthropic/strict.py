"""What Anthropic's API refuses with 400 (https://docs.anthropic.com/en/api/messages), and two rules more:
an empty tool result and unmerged results are refused too, as gateways to other clouds do.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from roocode.scripted.checks import blank, extra_keys, is_array, is_count, is_object, schema, tool_name

_BODY = frozenset(
    {"model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences"}
    | {"temperature", "top_p", "top_k", "metadata", "thinking", "cache_control", "output_config"}
    | {"service_tier", "container", "context_management", "mcp_servers"}
)
_TOOL = frozenset(
    {"name", "description", "input_schema", "cache_control", "strict", "type"}
    | {"eager_input_streaming", "defer_loading", "input_examples"}
)
_BLOCKS = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "image": frozenset({"type", "source", "cache_control"}),
    "document": frozenset({"type", "source", "cache_control", "title", "context", "citations"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
_BY_ROLE = {
    "user": frozenset({"text", "image", "document", "tool_result"}),
    "assistant": frozenset({"text", "thinking", "redacted_thinking", "tool_use"}),
}
_MESSAGE = frozenset({"role", "content"})
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SIGNED = "scripted-"
_LEAST_BUDGET = 1024


def sign(thinking: str) -> str:
    """The signature that this server gives its own thinking, and asks for when it comes back."""
    return _SIGNED + base64.b64encode(hashlib.sha256(thinking.encode()).digest()).decode()


def complaints(body: Mapping[str, Any], headers: Mapping[str, str], known: int = 0) -> Iterator[str]:
    """Yields what is wrong with a request, with the place in the body.

    The content of the first `known` messages was found good before and is not looked at again.
    """
    if not headers.get("anthropic-version"):
        yield "anthropic-version: header is required"
    yield from extra_keys("", body, _BODY)
    if blank(body.get("model")):
        yield "model: Field required"
    if not is_count(body.get("max_tokens")):
        yield "max_tokens: Field required, a whole number above zero"
    if not isinstance(body.get("stream", False), bool):
        yield "stream: must be true or false"
    yield from _thinking_options(body)
    yield from _system(body.get("system", ""))
    yield from _tools(body)
    yield from _conversation(body, known)
    if _breakpoints(body) > 4:
        yield "a maximum of 4 blocks with cache_control may be provided"


def _thinking_options(body: Mapping[str, Any]) -> Iterator[str]:
    """A budget leaves room for the answer, and a run of calls in it begins with thinking."""
    thinking = body.get("thinking", {"type": "disabled"})
    if not is_object(thinking) or thinking.get("type") not in ("enabled", "adaptive", "disabled"):
        yield "thinking.type: must be enabled, adaptive or disabled"
        return
    effort = body.get("output_config", {}).get("effort", "low")
    if effort not in ("low", "medium", "high", "xhigh", "max"):
        yield "output_config.effort: must be low, medium, high, xhigh or max"
    if thinking["type"] != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < _LEAST_BUDGET:
        yield f"thinking.enabled.budget_tokens: must be at least {_LEAST_BUDGET}"
    elif isinstance(limit := body.get("max_tokens"), int) and budget >= limit:
        yield "max_tokens: must be greater than thinking.budget_tokens"
    for answer in _first_answers(_objects(body.get("messages"))):
        if _kinds(answer)[0] not in ("thinking", "redacted_thinking"):
            yield "a final assistant message must start with a thinking block when thinking is enabled"
            return


def _first_answers(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The answers to words in the run of calls that goes on: each begins a turn of the assistant's."""
    for message, before in pairwise(reversed(messages)):
        if message.get("role") == "user" and "tool_result" not in _kinds(message):
            return
        if message.get("role") == "assistant" and set(_kinds(before)) != {"tool_result"}:
            yield message


def _kinds(message: Mapping[str, Any]) -> list[Any]:
    """The types of its blocks; content that is no array is text."""
    return [block.get("type") for block in _objects(message.get("content"))] or ["text"]


def _system(system: object) -> Iterator[str]:
    if isinstance(system, str):
        return
    if not is_array(system):
        yield "system: must be text or an array of text blocks"
        return
    for index, block in enumerate(system):
        if not is_object(block) or block.get("type") != "text":
            yield f"system.{index}: must be a text block"
        else:
            yield from _block(f"system.{index}", block, _BY_ROLE["user"])


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    if not is_array(tools):
        yield "tools: must be an array"
        return
    names: set[str] = set()
    for index, tool in enumerate(tools):
        place = f"tools.{index}"
        if not is_object(tool):
            yield f"{place}: must be an object"
            continue
        yield from extra_keys(place, tool, _TOOL)
        yield from tool_name(f"{place}.name", tool.get("name"), names)
        yield from schema(f"{place}.input_schema", tool.get("input_schema"))
        if not isinstance(tool.get("description", ""), str):
            yield f"{place}.description: must be text"
    yield from _tool_choice(body, names)


def _tool_choice(body: Mapping[str, Any], names: set[str]) -> Iterator[str]:
    if "tool_choice" not in body:
        return
    choice = body["tool_choice"]
    if not names:
        yield "tool_choice: may only be specified while providing tools"
    if not is_object(choice) or choice.get("type") not in ("auto", "any", "tool", "none"):
        yield "tool_choice: must be an object with type auto, any, tool or none"
    elif choice["type"] == "tool" and choice.get("name") not in names:
        yield f"tool_choice.name: {choice.get('name')!r} is none of the tools"


def _conversation(body: Mapping[str, Any], known: int) -> Iterator[str]:
    messages = body.get("messages")
    if not is_array(messages) or not messages:
        yield "messages: at least one message is required"
        return
    if not all(is_object(message) and message.get("role") in _BY_ROLE for message in messages):
        yield "messages: each must be an object with role user or assistant"
        return
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1]["role"] != "user":
        yield "messages: the conversation must end with a user message, this model does not support prefill"
    for index, message in enumerate(messages[known:], known):
        yield from extra_keys(f"messages.{index}", message, _MESSAGE)
        yield from _content(f"messages.{index}.content", message)
    yield from _pairs(messages)
    if not body.get("tools") and any(
        block.get("type") == "tool_use" for message in messages for block in _objects(message.get("content"))
    ):
        yield "tools: requests which include `tool_use` or `tool_result` blocks must define tools"


def _content(place: str, message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if is_array(content) and content:
        for index, block in enumerate(content):
            if is_object(block):
                yield from _block(f"{place}.{index}", block, _BY_ROLE[message["role"]])
            else:
                yield f"{place}.{index}: must be an object"
    elif blank(content):
        yield f"{place}: all messages must have non-empty content"


def _block(place: str, block: Mapping[str, Any], allowed: frozenset[str]) -> Iterator[str]:
    kind = block.get("type")
    if kind not in allowed:
        yield f"{place}.type: {kind!r} is none of {', '.join(sorted(allowed))}"
        return
    yield from extra_keys(place, block, _BLOCKS[kind])
    if kind in _CHECKS:
        yield from _CHECKS[kind](place, block)


def _text(place: str, block: Mapping[str, Any]) -> Iterator[str]:
    if blank(block.get("text")):
        yield f"{place}: text content blocks must contain non-whitespace text"


def _thinking(place: str, block: Mapping[str, Any]) -> Iterator[str]:
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or blank(signature):
        yield f"{place}: thinking and signature are required"
    elif str(signature).startswith(_SIGNED) and signature != sign(text):
        yield f"{place}: Invalid `signature` in `thinking` block"


def _tool_use(place: str, block: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(block.get("id"), str) or not _ID.fullmatch(block["id"]):
        yield f"{place}.id: must match ^[a-zA-Z0-9_-]+$"
    yield from tool_name(f"{place}.name", block.get("name"), set())
    if not is_object(block.get("input")):
        yield f"{place}.input: Input should be a valid dictionary"


def _tool_result(place: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block.get("content")
    if not isinstance(block.get("is_error", False), bool):
        yield f"{place}.is_error: must be true or false"
    if is_array(content) and content:
        for index, part in enumerate(content):
            if is_object(part):
                yield from _block(f"{place}.content.{index}", part, frozenset({"text", "image", "document"}))
            else:
                yield f"{place}.content.{index}: must be an object"
    elif blank(content):
        yield f"{place}.content: is empty; say so in words, such as (no output)"


_CHECKS = {"text": _text, "thinking": _thinking, "tool_use": _tool_use, "tool_result": _tool_result}


def _pairs(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every call has its one result, in the very next message and first in it; no id comes twice."""
    seen: set[str] = set()
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        place = f"messages.{index}"
        blocks = _objects(message.get("content"))
        results = [str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"]
        missing = [call for call in open_ids if call not in results]
        if missing:
            yield f"{place}: `tool_use` ids without `tool_result` blocks immediately after: {missing}"
        for position, result in enumerate(results):
            if result not in open_ids:
                yield f"{place}: unexpected `tool_use_id` {result!r}: no such call in the previous message"
            if result in results[:position]:
                yield f"{place}: each tool_use must have a single result, {result!r} has more"
        if results and [block.get("type") for block in message["content"][: len(results)]].count(
            "tool_result"
        ) < len(results):
            yield f"{place}: tool_result blocks must come first in the message"
        open_ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        for call in open_ids:
            if call in seen:
                yield f"{place}: `tool_use` ids must be unique, {call!r} is there twice"
            seen.add(call)
    if open_ids:
        yield f"messages: `tool_use` ids without `tool_result` blocks at the end: {open_ids}"


def _breakpoints(body: Mapping[str, Any]) -> int:
    parts = [body, *_objects(body.get("system")), *_objects(body.get("tools"))]
    for message in _objects(body.get("messages")):
        parts.extend(_objects(message.get("content")))
    return sum("cache_control" in part for part in parts)


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if is_object(item)] if is_array(value) else []
