"""What strict servers of Chat Completions refuse with 400.

OpenAI's own rules (https://platform.openai.com/docs/api-reference/chat/create), and those of compatible
servers: the system message first and then the user's, no empty content, arguments that hold an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roocode.scripted.checks import blank, extra_keys, is_array, is_count, is_object, schema, tool_name

_SYSTEM = ("system", "developer")
_KEYS = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset(
        {"role", "content", "name", "tool_calls", "refusal"}
        | {"reasoning_content", "reasoning", "reasoning_details"}
    ),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}
_PARTS = frozenset({"text", "image_url", "input_audio", "file"})
_LONGEST_ID = 40


def complaints(body: Mapping[str, Any], known: int = 0) -> Iterator[str]:
    """Yields what is wrong with a request, with the place in the body.

    The content of the first `known` messages was found good before and is not looked at again.
    """
    if blank(body.get("model")):
        yield "model: you must provide a model parameter"
    yield from _limits(body)
    if not isinstance(body.get("stream", False), bool):
        yield "stream: must be true or false"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options: is only allowed when stream is enabled"
    yield from _tools(body)
    yield from _conversation(body, known)


def _limits(body: Mapping[str, Any]) -> Iterator[str]:
    limits = [key for key in ("max_tokens", "max_completion_tokens") if key in body]
    for key in limits:
        if not is_count(body[key]):
            yield f"{key}: must be a whole number above zero"
    if len(limits) == 2:
        yield "max_tokens and max_completion_tokens cannot both be set"


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    for key in ("tool_choice", "parallel_tool_calls"):
        if key in body and not body.get("tools"):
            yield f"{key}: is only allowed when tools are specified"
    if "tools" not in body:
        return
    tools = body["tools"]
    if not is_array(tools) or not tools:
        yield "tools: must be an array and not empty"
        return
    names: set[str] = set()
    for index, tool in enumerate(tools):
        yield from _tool(f"tools.{index}", tool, names)
    choice = body.get("tool_choice", "auto")
    named = choice.get("function", {}).get("name") if is_object(choice) else None
    if choice not in ("auto", "none", "required") and named not in names:
        yield "tool_choice: must be auto, none, required or the name of a tool"


def _tool(place: str, tool: object, names: set[str]) -> Iterator[str]:
    function = tool.get("function") if is_object(tool) and tool.get("type") == "function" else None
    if not is_object(tool) or not is_object(function):
        yield f"{place}: must be an object with type function and function"
        return
    yield from extra_keys(place, tool, frozenset({"type", "function"}))
    yield from extra_keys(
        f"{place}.function", function, frozenset({"name", "description", "parameters", "strict"})
    )
    yield from tool_name(f"{place}.function.name", function.get("name"), names)
    yield from schema(f"{place}.function.parameters", function.get("parameters"))
    if not isinstance(function.get("description", ""), str):
        yield f"{place}.function.description: must be text"


def _conversation(body: Mapping[str, Any], known: int) -> Iterator[str]:
    messages = body.get("messages")
    if not is_array(messages) or not messages:
        yield "messages: at least one message is required"
        return
    if not all(is_object(message) and message.get("role") in _KEYS for message in messages):
        yield f"messages: each must be an object with role {', '.join(_KEYS)}"
        return
    roles = [message["role"] for message in messages]
    spoken = [role for role in roles if role not in _SYSTEM]
    if any(role in _SYSTEM for role in roles[len(roles) - len(spoken) :]):
        yield "messages: system messages must stand at the beginning"
    if not spoken or spoken[0] != "user":
        yield "messages: the first message after the system's must be the user's"
    elif spoken[-1] == "assistant":
        yield "messages: the last message must not be the assistant's"
    for index, message in enumerate(messages[known:], known):
        yield from extra_keys(f"messages.{index}", message, _KEYS[message["role"]])
        yield from _content(f"messages.{index}", message)
    yield from _pairs(messages)


def _content(place: str, message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    calls = message.get("tool_calls")
    if is_array(content) and content:
        for index, part in enumerate(content):
            if not is_object(part) or part.get("type") not in _PARTS:
                yield f"{place}.content.{index}.type: must be one of {', '.join(sorted(_PARTS))}"
            elif part["type"] == "text" and blank(part.get("text")):
                yield f"{place}.content.{index}.text: must not be empty"
    elif blank(content) and not (content is None and calls):
        yield f"{place}.content: must not be empty; with tool_calls leave it out or send null"
    if "tool_calls" in message:
        yield from _calls(f"{place}.tool_calls", calls)


def _calls(place: str, calls: object) -> Iterator[str]:
    if not is_array(calls) or not calls:
        yield f"{place}: must be an array and not empty"
        return
    for index, call in enumerate(calls):
        function = call.get("function") if is_object(call) and call.get("type") == "function" else None
        if not is_object(call) or not is_object(function):
            yield f"{place}.{index}: must be an object with type function and function"
            continue
        if blank(call.get("id")) or len(call["id"]) > _LONGEST_ID:
            yield f"{place}.{index}.id: must be text of 1 to {_LONGEST_ID} characters"
        yield from tool_name(f"{place}.{index}.function.name", function.get("name"), set())
        if not _holds_object(function.get("arguments")):
            yield f"{place}.{index}.function.arguments: must be a string that holds a JSON object"


def _holds_object(text: object) -> bool:
    try:
        return isinstance(text, str) and is_object(json.loads(text))
    except json.JSONDecodeError:
        return False


def _pairs(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every call has its one tool message, right behind the assistant's; no id comes twice."""
    seen: set[str] = set()
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        place = f"messages.{index}"
        if message["role"] == "tool":
            answered = message.get("tool_call_id")
            if answered in open_ids:
                open_ids.remove(answered)
            else:
                yield f"{place}: {answered!r} is no open call of the assistant message right before"
            continue
        if open_ids:
            yield f"{place}: tool_calls must be followed by tool messages, there is none for {open_ids}"
        calls = message.get("tool_calls")
        open_ids = [str(call.get("id")) for call in calls if is_object(call)] if is_array(calls) else []
        for call in open_ids:
            if call in seen:
                yield f"{place}: ids of tool_calls must be unique, {call!r} is there twice"
            seen.add(call)
    if open_ids:
        yield f"messages: tool_calls must be followed by tool messages, there is none for {open_ids}"
