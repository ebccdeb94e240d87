"""Answers and errors in the shapes of the Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.protocol.messages import StopReason
from roocode.scripted.answer import Answer, Call, chunked, data_line
from roocode.scripted.anthropic.strict import sign

_STOPS: dict[StopReason, str] = {
    "end": "end_turn",
    "tools": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "stop_sequence": "stop_sequence",
    "pause": "pause_turn",
    "window": "model_context_window_exceeded",
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def events(answer: Answer) -> list[bytes]:
    """message_start, ping, each block's start, deltas and stop, message_delta, message_stop."""
    message = {**_message(answer), "content": [], "stop_reason": None}
    message["usage"] = {**_usage(answer), "output_tokens": 1}
    stream = [_event("message_start", message=message), _event("ping")]
    for index, (block, deltas) in enumerate(_blocks(answer)):
        stream.append(_event("content_block_start", index=index, content_block=block))
        stream.extend(_event("content_block_delta", index=index, delta=delta) for delta in deltas)
        stream.append(_event("content_block_stop", index=index))
    end = {"stop_reason": _STOPS[answer.stop], "stop_sequence": None}
    stream.append(_event("message_delta", delta=end, usage={"output_tokens": answer.usage.output_tokens}))
    stream.append(_event("message_stop"))
    return stream


def whole(answer: Answer) -> dict[str, Any]:
    """The message object."""
    content: list[dict[str, Any]] = []
    if answer.thinking:
        content.append({"type": "thinking", "thinking": answer.thinking, "signature": sign(answer.thinking)})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    content.extend({**_tool_use(call), "input": _input(call)} for call in answer.calls)
    return {**_message(answer), "content": content, "usage": _usage(answer)}


def error(status: int, message: str, kind: str = "") -> dict[str, Any]:
    """The error object with the type that belongs to the status."""
    kind = kind or _KINDS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"}


def error_event(status: int, message: str, kind: str = "") -> bytes:
    """An `error` event."""
    return _framed("error", error(status, message, kind))


def _message(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "stop_reason": _STOPS[answer.stop],
        "stop_sequence": None,
    }


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "input_tokens": answer.usage.input_tokens,
        "cache_creation_input_tokens": answer.usage.cache_write_tokens,
        "cache_read_input_tokens": answer.usage.cache_read_tokens,
        "output_tokens": answer.usage.output_tokens,
    }


def _blocks(answer: Answer) -> Iterator[tuple[dict[str, Any], list[dict[str, str]]]]:
    if answer.thinking:
        deltas = [
            {"type": "thinking_delta", "thinking": part} for part in chunked(answer.thinking, answer.chunk)
        ]
        deltas.append({"type": "signature_delta", "signature": sign(answer.thinking)})
        yield {"type": "thinking", "thinking": "", "signature": ""}, deltas
    if answer.text:
        yield (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": part} for part in chunked(answer.text, answer.chunk)],
        )
    for call in answer.calls:
        pieces = ["", *chunked(call.arguments, answer.chunk)]
        yield _tool_use(call), [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _tool_use(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}


def _input(call: Call) -> object:
    """Arguments that are not JSON stay text, as sloppy servers send them."""
    try:
        return json.loads(call.arguments)
    except json.JSONDecodeError:
        return call.arguments


def _event(kind: str, **fields: Any) -> bytes:
    return _framed(kind, {"type": kind, **fields})


def _framed(kind: str, value: Mapping[str, Any]) -> bytes:
    return f"event: {kind}\n{data_line(value)}\n\n".encode()
