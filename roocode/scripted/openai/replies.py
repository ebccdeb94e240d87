"""Answers and errors in the shapes of Chat Completions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from roocode.protocol.messages import StopReason
from roocode.scripted.answer import Answer, Call, chunked, data_line

_STOPS: dict[StopReason, str] = {
    "end": "stop",
    "tools": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
    "stop_sequence": "stop",
    "pause": "stop",
    "window": "length",
}
_KINDS = {
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    529: ("server_error", "overloaded"),
}
_DONE = b"data: [DONE]\n\n"


def events(answer: Answer, *, usage: bool) -> list[bytes]:
    """A role chunk, deltas, the finish reason, the usage with no choice where it was asked for, [DONE]."""
    base = _base(answer, "chat.completion.chunk")
    choices = [_choice({"role": "assistant", "content": ""})]
    choices += [_choice({"reasoning_content": part}) for part in chunked(answer.thinking, answer.chunk)]
    choices += [_choice({"content": part}) for part in chunked(answer.text, answer.chunk)]
    choices += [_choice({"tool_calls": [delta]}) for delta in _call_deltas(answer)]
    choices.append(_choice({}, _STOPS[answer.stop]))
    stream = [
        _event({**base, "choices": [choice], **({"usage": None} if usage else {})}) for choice in choices
    ]
    if usage:
        stream.append(_event({**base, "choices": [], "usage": _usage(answer)}))
    return [*stream, _DONE]


def whole(answer: Answer) -> dict[str, Any]:
    """The completion object."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _STOPS[answer.stop]}
    return {**_base(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def error(status: int, message: str, kind: str = "") -> dict[str, Any]:
    """The error object with the type and code that belong to the status."""
    fallback = ("server_error", None) if status >= 500 else ("invalid_request_error", None)
    default, code = _KINDS.get(status, fallback)
    return {"error": {"message": message, "type": kind or default, "param": None, "code": code}}


def error_event(status: int, message: str, kind: str = "") -> bytes:
    """An error object as a chunk."""
    return _event(error(status, message, kind))


def _base(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": int(time.time()), "model": answer.model}


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _usage(answer: Answer) -> dict[str, Any]:
    prompt = answer.usage.input_tokens + answer.usage.cache_read_tokens + answer.usage.cache_write_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": prompt + answer.usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.usage.cache_read_tokens},
    }


def _call_deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    """Each call's deltas, one call after another or in turns."""
    lanes = [list(_deltas(index, call, answer.chunk)) for index, call in enumerate(answer.calls)]
    for row in zip_longest(*lanes) if answer.interleave else lanes:
        yield from (delta for delta in row if delta is not None)


def _deltas(index: int, call: Call, size: int) -> Iterator[dict[str, Any]]:
    start = {"name": call.tool, "arguments": ""}
    yield {"index": index, "id": call.id, "type": "function", "function": start}
    for piece in chunked(call.arguments, size):
        yield {"index": index, "function": {"arguments": piece}}


def _event(value: dict[str, Any]) -> bytes:
    return f"{data_line(value)}\n\n".encode()
