"""What the bytes of an answer show of its endpoint: pure, and one function a protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from roocode.engine.models.endpoint import WireName
from roocode.engine.models.sse import EventDecoder

Symptom: TypeAlias = tuple[str, str]
"""The name of what was looked at, and what is special about it."""


class Stream:
    """An answer's events, read as far as they can be."""

    def __init__(self, body: bytes) -> None:
        decoder = EventDecoder()
        events = [*decoder.feed(body), *decoder.close()]
        self.comments = any(line.startswith(b":") for line in body.splitlines())
        self.done = any(event.data.strip() == "[DONE]" for event in events)
        self.named = all(event.name for event in events if event.data.strip() != "[DONE]")
        self.payloads = [value for event in events if (value := _object(event.data))]


def symptoms(protocol: WireName, body: bytes) -> list[Symptom]:
    """All that is special, in the order of the answer; empty where the endpoint keeps to its protocol."""
    if body.lstrip()[:1] == b"{":
        return [("stream", "the answer does not stream")]
    stream = Stream(body)
    found = {"anthropic": _anthropic, "openai": _chat, "openai-responses": _responses}[protocol](stream)
    comments = [("stream", "comments between the events")] if stream.comments else []
    return list(dict.fromkeys([*comments, *found]))


def reasoning_field(body: bytes) -> str:
    """The field in which Chat Completions brought reasoning, "" for none."""
    for delta in _deltas(Stream(body).payloads):
        for name in ("reasoning_content", "reasoning"):
            if isinstance(delta.get(name), str):
                return name
    return ""


def _anthropic(stream: Stream) -> Iterator[Symptom]:
    kinds = [payload.get("type") for payload in stream.payloads]
    if not stream.named:
        yield "stream", "no `event:` lines"
    if stream.done:
        yield "stream", "[DONE] at the end, as in OpenAI's protocol"
    if not any(_mapping(payload.get("usage")) for payload in stream.payloads):
        yield "usage", "not reported: it is estimated"
    starts = [
        _mapping(p.get("content_block")) for p in stream.payloads if p.get("type") == "content_block_start"
    ]
    signed = any(_mapping(p.get("delta")).get("type") == "signature_delta" for p in stream.payloads)
    if any(block.get("type") == "thinking" for block in starts) and not signed:
        yield "reasoning", "thinking has no signature"
    calls = [block for block in starts if block.get("type") == "tool_use"]
    yield from _ids([block.get("id") for block in calls])
    yield from _finish(kinds, bool(calls), stream)


def _finish(kinds: Sequence[Any], called: bool, stream: Stream) -> Iterator[Symptom]:
    if "message_stop" not in kinds:
        yield "stream", "no message_stop at the end"
    reasons = [_mapping(p.get("delta")).get("stop_reason") for p in stream.payloads]
    reason = next((reason for reason in reversed(reasons) if reason), None)
    if called and reason not in ("tool_use", None):
        yield "stop reason", f"{reason} although tools are called"


def _chat(stream: Stream) -> Iterator[Symptom]:
    if not stream.done:
        yield "stream", "no [DONE] at the end"
    place = _usage_place(stream.payloads)
    if place != "chunk of its own":
        yield "usage", place
    if field := next((n for d in _deltas(stream.payloads) for n in _REASONING if d.get(n)), ""):
        yield "reasoning", f"in {field}"
    parts = [part for delta in _deltas(stream.payloads) for part in _list(delta.get("tool_calls"))]
    if parts:
        yield from _call_deltas(parts)
    choices = [choice for payload in stream.payloads for choice in _list(payload.get("choices"))]
    reasons = {choice["finish_reason"] for choice in choices if choice.get("finish_reason")}
    if parts and "tool_calls" not in reasons:
        yield "stop reason", f"{', '.join(sorted(map(str, reasons))) or 'none'} although tools are called"
    if "tool_calls" in reasons and not parts:
        yield "stop reason", "tool_calls although no tool is called"


_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "reasoning_encrypted")


def _call_deltas(parts: Sequence[Mapping[str, Any]]) -> Iterator[Symptom]:
    if any(not isinstance(part.get("index"), int) for part in parts):
        yield "calls", "no index"
    functions = [_mapping(part.get("function")) for part in parts]
    opened = [part for part, function in zip(parts, functions, strict=True) if function.get("name")]
    if not functions[0].get("name"):
        yield "calls", "arguments before the name"
    yield from _ids([part.get("id") for part in opened])
    indexes = [part.get("index") for part in opened]
    if len(indexes) > 1 and len(set(indexes)) < len(indexes) and None not in indexes:
        yield "calls", "one index for several calls"
    if any(isinstance(function.get("arguments"), dict) for function in functions):
        yield "calls", "arguments as an object instead of text"
    if len(opened) == len(parts):
        yield "calls", "whole in one event"
        if any(function.get("arguments") == "" for function in functions):
            yield "calls", "no arguments as empty text instead of {}"


def _ids(ids: Sequence[Any]) -> Iterator[Symptom]:
    if any(not identifier for identifier in ids):
        yield "calls", "no id"
    known = [identifier for identifier in ids if identifier]
    if len(set(known)) < len(known):
        yield "calls", "one id for several calls"


def _usage_place(payloads: Sequence[Mapping[str, Any]]) -> str:
    for payload in payloads:
        if _counts(payload.get("usage")):
            return "chunk of its own" if not payload.get("choices") else "in the last chunk of the answer"
        if _counts(_mapping(payload.get("x_groq")).get("usage")):
            return "under x_groq"
        if any(_counts(choice.get("usage")) for choice in _list(payload.get("choices"))):
            return "inside the choice"
    return "not reported: it is estimated"


def _responses(stream: Stream) -> Iterator[Symptom]:
    if not stream.named:
        yield "stream", "no `event:` lines"
    if stream.done:
        yield "stream", "[DONE] at the end, as in Chat Completions"
    last = next((_mapping(p["response"]) for p in reversed(stream.payloads) if "response" in p), {})
    if last.get("output") == []:
        yield "stream", "the last event does not repeat the answer"
    if any("sequence_number" not in payload for payload in stream.payloads):
        yield "stream", "no sequence numbers"
    if not _counts(last.get("usage")):
        yield "usage", "not reported: it is estimated"
    begun = _items(stream, "response.output_item.added")
    ended = _items(stream, "response.output_item.done")
    if any(place in ended and item.get("id") != ended[place].get("id") for place, item in begun.items()):
        yield "stream", "an item's id changes on the way"
    thoughts = [item for item in ended.values() if item.get("type") == "reasoning"]
    if thoughts and not any(item.get("encrypted_content") for item in thoughts):
        yield "reasoning", "not sealed: it has no encrypted_content"
    calls = [item for item in ended.values() if item.get("type") == "function_call"]
    yield from _ids([item.get("call_id") for item in calls])


def _items(stream: Stream, kind: str) -> dict[Any, Mapping[str, Any]]:
    found = [payload for payload in stream.payloads if payload.get("type") == kind]
    return {payload.get("output_index"): _mapping(payload.get("item")) for payload in found}


def _deltas(payloads: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for payload in payloads:
        for choice in _list(payload.get("choices")):
            yield _mapping(choice.get("delta"))


def _counts(usage: Any) -> bool:
    return any(isinstance(value, int) and value > 0 for value in _mapping(usage).values())


def _object(data: str) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
