"""What OpenAI's Responses API refuses with 400 (https://platform.openai.com/docs/api-reference/responses).

Nothing is stored here, so `store` must be false and reasoning comes back sealed. An empty message or output
is refused too, as compatible servers do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roocode.scripted.anthropic.strict import sign
from roocode.scripted.checks import blank, extra_keys, is_array, is_count, is_object, schema, tool_name

_BODY = frozenset(
    {"model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens"}
    | {"stream", "stream_options", "store", "include", "reasoning", "text", "temperature", "top_p"}
    | {"metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier"}
    | {"truncation", "top_logprobs", "max_tool_calls", "background", "conversation", "previous_response_id"}
)
_TOOL = frozenset({"type", "name", "description", "parameters", "strict"})
_ITEMS = {
    "message": frozenset({"type", "role", "content", "phase", "id", "status"}),
    "function_call": frozenset({"type", "call_id", "name", "arguments", "id", "status"}),
    "function_call_output": frozenset({"type", "call_id", "output", "id", "status"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content", "status"}),
}
_PARTS = {
    "user": frozenset({"input_text", "input_image", "input_file"}),
    "assistant": frozenset({"output_text", "refusal"}),
    "system": frozenset({"input_text"}),
    "developer": frozenset({"input_text"}),
}
_INCLUDE = frozenset(
    {"reasoning.encrypted_content", "message.output_text.logprobs", "web_search_call.action.sources"}
    | {"code_interpreter_call.outputs", "file_search_call.results", "message.input_image.image_url"}
)
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_LEAST_OUTPUT = 16
_LONGEST_ID = 64


def complaints(body: Mapping[str, Any], known: int = 0) -> Iterator[str]:
    """Yields what is wrong with a request, with the place in the body.

    The content of the first `known` items was found good before and is not looked at again.
    """
    yield from extra_keys("", body, _BODY)
    if blank(body.get("model")):
        yield "model: you must provide a model parameter"
    if not isinstance(body.get("stream", False), bool):
        yield "stream: must be true or false"
    if body.get("store", True) is not False:
        yield "store: nothing is kept here, it must be false"
    limit = body.get("max_output_tokens", _LEAST_OUTPUT)
    if not is_count(limit) or limit < _LEAST_OUTPUT:
        yield f"max_output_tokens: must be a whole number of at least {_LEAST_OUTPUT}"
    if "instructions" in body and blank(body["instructions"]):
        yield "instructions: must be text"
    include = body.get("include", [])
    if not is_array(include) or any(name not in _INCLUDE for name in include):
        yield f"include: must be an array of {', '.join(sorted(_INCLUDE))}"
    yield from _reasoning_options(body.get("reasoning", {}))
    yield from _tools(body)
    yield from _input(body.get("input"), known)


def _reasoning_options(options: object) -> Iterator[str]:
    if not is_object(options):
        yield "reasoning: must be an object"
        return
    yield from extra_keys("reasoning", options, frozenset({"effort", "summary"}))
    if options.get("effort", "low") not in _EFFORTS:
        yield f"reasoning.effort: must be one of {', '.join(_EFFORTS)}"
    if options.get("summary", "auto") not in ("auto", "concise", "detailed"):
        yield "reasoning.summary: must be auto, concise or detailed"


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    for key in ("tool_choice", "parallel_tool_calls"):
        if key in body and not body.get("tools"):
            yield f"{key}: is only allowed when tools are specified"
    tools = body.get("tools", [])
    if not is_array(tools):
        yield "tools: must be an array"
        return
    names: set[str] = set()
    for index, tool in enumerate(tools):
        place = f"tools.{index}"
        if not is_object(tool) or tool.get("type") != "function":
            yield f"{place}: must be an object with type function"
            continue
        yield from extra_keys(place, tool, _TOOL)
        yield from tool_name(f"{place}.name", tool.get("name"), names)
        yield from schema(f"{place}.parameters", tool.get("parameters"))
        if not isinstance(tool.get("description", ""), str):
            yield f"{place}.description: must be text"
        if tool.get("strict", True) is not False:
            yield f"{place}.strict: must be false for a schema that does not forbid other properties"
    choice = body.get("tool_choice", "auto")
    named = choice.get("name") if is_object(choice) else None
    if choice not in ("auto", "none", "required") and named not in names:
        yield "tool_choice: must be auto, none, required or the name of a tool"


def _input(items: object, known: int) -> Iterator[str]:
    if not is_array(items) or not items:
        yield "input: at least one item is required"
        return
    for index, item in enumerate(items):
        if not is_object(item) or item.get("type", "message") not in _ITEMS:
            yield f"input.{index}: must be an object with type {', '.join(_ITEMS)}"
            return
    if _kind(items[0]) != "message" or items[0].get("role") == "assistant":
        yield "input: the first item must be a message of the user's"
    if _kind(items[-1]) != "function_call_output" and items[-1].get("role") != "user":
        yield "input: the last item must be the user's message or the output of a call"
    for index, item in enumerate(items[known:], known):
        yield from extra_keys(f"input.{index}", item, _ITEMS[_kind(item)])
        yield from _item(f"input.{index}", item)
    yield from _order(items)


def _kind(item: Mapping[str, Any]) -> str:
    return str(item.get("type", "message"))


def _item(place: str, item: Mapping[str, Any]) -> Iterator[str]:
    match _kind(item):
        case "message":
            yield from _message(place, item)
        case "function_call":
            yield from _call_id(place, item)
            yield from tool_name(f"{place}.name", item.get("name"), set())
            if not _holds_object(item.get("arguments")):
                yield f"{place}.arguments: must be a string that holds a JSON object"
        case "function_call_output":
            yield from _call_id(place, item)
            if blank(item.get("output")) and not is_array(item.get("output")):
                yield f"{place}.output: must not be empty"
        case _:
            yield from _reasoning(place, item)


def _message(place: str, item: Mapping[str, Any]) -> Iterator[str]:
    role, content = item.get("role"), item.get("content")
    if role not in _PARTS:
        yield f"{place}.role: must be one of {', '.join(_PARTS)}"
        return
    if "phase" in item and (role != "assistant" or item["phase"] not in ("commentary", "final_answer")):
        yield f"{place}.phase: must be commentary or final_answer, of the assistant's alone"
    if is_array(content) and content:
        for index, part in enumerate(content):
            if not is_object(part) or part.get("type") not in _PARTS[role]:
                yield f"{place}.content.{index}.type: must be one of {', '.join(sorted(_PARTS[role]))}"
            elif part["type"] in ("input_text", "output_text") and blank(part.get("text")):
                yield f"{place}.content.{index}.text: must not be empty"
    elif blank(content):
        yield f"{place}.content: must not be empty"


def _call_id(place: str, item: Mapping[str, Any]) -> Iterator[str]:
    if blank(item.get("call_id")) or len(item["call_id"]) > _LONGEST_ID:
        yield f"{place}.call_id: must be text of 1 to {_LONGEST_ID} characters"


def _reasoning(place: str, item: Mapping[str, Any]) -> Iterator[str]:
    if blank(item.get("id")):
        yield f"{place}.id: is required"
    summary = item.get("summary")
    if not is_array(summary) or any(not is_object(part) or blank(part.get("text")) for part in summary):
        yield f"{place}.summary: must be an array of texts"
        return
    words = "\n\n".join(part["text"] for part in summary)
    if item.get("encrypted_content") != sign(words):
        yield f"{place}.encrypted_content: the encrypted content could not be verified"


def _holds_object(text: object) -> bool:
    try:
        return isinstance(text, str) and is_object(json.loads(text))
    except json.JSONDecodeError:
        return False


def _order(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every call has its one output before anyone says more; reasoning stands before what it led to."""
    seen: set[str] = set()
    open_ids: list[str] = []
    for index, item in enumerate(items):
        place, kind = f"input.{index}", _kind(item)
        identifier = str(item.get("call_id"))
        if kind == "function_call":
            if identifier in seen:
                yield f"{place}: call ids must be unique, {identifier!r} is there twice"
            seen.add(identifier)
            open_ids.append(identifier)
        elif kind == "function_call_output":
            if identifier in open_ids:
                open_ids.remove(identifier)
            else:
                yield f"{place}: No tool call found for function call output with call_id {identifier}."
        elif kind == "message" and item.get("role") != "assistant" and open_ids:
            yield f"{place}: No tool output found for function call {open_ids[0]}."
            open_ids.clear()
        elif kind == "reasoning":
            following = items[index + 1] if index + 1 < len(items) else {"type": "", "role": ""}
            if (
                _kind(following) not in ("function_call", "reasoning")
                and following.get("role") != "assistant"
            ):
                yield f"{place}: {item.get('id')!r} was provided without its required following item."
    if open_ids:
        yield f"input: No tool output found for function call {open_ids[0]}."
