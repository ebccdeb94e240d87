"""Answers and errors in the shapes of the Responses API."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from roocode.scripted.answer import Answer, Call, chunked, data_line
from roocode.scripted.anthropic.strict import sign
from roocode.scripted.openai import replies as chat

_INCOMPLETE = {"max_tokens": "max_output_tokens", "window": "max_output_tokens", "refusal": "content_filter"}


def events(answer: Answer) -> list[bytes]:
    """response.created and in_progress, each item's added, deltas and done, and the last event."""
    begun = {**_base(answer), "status": "in_progress", "output": [], "usage": None}
    stream: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    lanes = [list(_item_events(place, item, answer)) for place, item in enumerate(_items(answer))]
    calls = [lane for lane in lanes if lane[0]["item"]["type"] == "function_call"]
    rows = [lane for lane in lanes if lane not in calls]
    rows += list(zip_longest(*calls)) if answer.interleave else calls  # type: ignore[arg-type]
    stream += [event for row in rows for event in row if event is not None]
    response = whole(answer)
    stream.append({"type": f"response.{response['status']}", "response": response})
    return [_framed({**event, "sequence_number": number}) for number, event in enumerate(stream)]


def whole(answer: Answer) -> dict[str, Any]:
    """The response object."""
    reason = _INCOMPLETE.get(answer.stop)
    return {
        **_base(answer),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": list(_items(answer)),
        "usage": _usage(answer),
    }


def error_event(status: int, message: str, kind: str = "") -> bytes:
    """An `error` event."""
    problem = chat.error(status, message, kind)["error"]
    code = problem["code"] or problem["type"]
    return _framed({"type": "error", "code": code, "message": message, "param": None, "sequence_number": 0})


def _base(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": int(time.time()),
        "model": answer.model,
        "error": None,
        "incomplete_details": None,
        "store": False,
    }


def _usage(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": usage.cache_read_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + usage.output_tokens,
    }


def _items(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.thinking:
        yield {
            "type": "reasoning",
            "id": f"rs_{answer.id}",
            "summary": [{"type": "summary_text", "text": answer.thinking}],
            "encrypted_content": sign(answer.thinking),
        }
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        yield {
            "type": "message",
            "id": f"msg_{answer.id}",
            "status": "completed",
            "role": "assistant",
            "content": [part],
        }
    for number, call in enumerate(answer.calls):
        cut = answer.stop == "max_tokens" and number == len(answer.calls) - 1
        yield _call_item(answer, number, call, "incomplete" if cut else "completed")


def _call_item(answer: Answer, number: int, call: Call, status: str) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{answer.id}_{number}",
        "status": status,
        "call_id": call.id,
        "name": call.tool,
        "arguments": call.arguments,
    }


def _item_events(place: int, item: Mapping[str, Any], answer: Answer) -> Iterator[dict[str, Any]]:
    where = {"output_index": place, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": place, "item": _begun(item)}
    match item["type"]:
        case "reasoning":
            spot = {**where, "summary_index": 0}
            yield {"type": "response.reasoning_summary_part.added", **spot, "part": {"type": "summary_text"}}
            yield from _deltas("reasoning_summary_text", spot, answer.thinking, answer.chunk)
        case "message":
            spot = {**where, "content_index": 0}
            part = {"type": "output_text", "text": "", "annotations": []}
            yield {"type": "response.content_part.added", **spot, "part": part}
            yield from _deltas("output_text", spot, answer.text, answer.chunk)
            yield {"type": "response.output_text.done", **spot, "text": answer.text}
        case _:
            yield from _deltas("function_call_arguments", where, item["arguments"], answer.chunk)
            yield {
                "type": "response.function_call_arguments.done",
                **where,
                "arguments": item["arguments"],
            }
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _begun(item: Mapping[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {"status": "in_progress"}
    empty.update({name: [] for name in ("summary", "content") if name in item})
    empty.update({name: "" for name in ("arguments", "encrypted_content") if name in item})
    return {**item, **empty}


def _deltas(kind: str, where: Mapping[str, Any], text: str, size: int) -> Iterator[dict[str, Any]]:
    for piece in chunked(text, size):
        yield {"type": f"response.{kind}.delta", **where, "delta": piece}


def _framed(value: Mapping[str, Any]) -> bytes:
    return f"event: {value['type']}\n{data_line(value)}\n\n".encode()
