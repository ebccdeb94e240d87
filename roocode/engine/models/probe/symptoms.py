"""What the bytes of an answer show of its endpoint: pure, and one function a protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from roocode.engine.models import loose
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
    begun = [payload for payload in stream.payloads if payload.get("type") == "content_block_start"]
    starts = [loose.mapping(payload.get("content_block")) for payload in begun]
    signed = any(loose.mapping(p.get("delta")).get("type") == "signature_delta" for p in stream.payloads)
    if any(block.get("type") == "thinking" for block in starts) and not signed:
        yield "reasoning", "thinking has no signature"
    calls = [block for block in starts if block.get("type") == "tool_use"]
    yield from _ids([block.get("id") for block in calls])
    yield from _finish(kinds, bool(calls), stream)


def _finish(kinds: Sequence[Any], called: bool, stream: Stream) -> Iterator[Symptom]:
    if "message_stop" not in kinds:
        yield "stream", "no message_stop at the end"
    reasons = [loose.text(loose.mapping(p.get("delta")).get("stop_reason")) for p in stream.payloads]
    reason = next((reason for reason in reversed(reasons) if reason), "")
    if called and reason not in ("tool_use", ""):
        yield "stop reason", f"{reason} although tools are called"


def _chat(stream: Stream) -> Iterator[Symptom]:
    if not stream.done:
        yield "stream", "no [DONE] at the end"
    if place := _usage_place(stream.payloads):
        yield "usage", place
    if field := next((n for d in _deltas(stream.payloads) for n in _REASONING if d.get(n)), ""):
        yield "reasoning", f"in {field}"
    parts = [part for delta in _deltas(stream.payloads) for part in loose.mappings(delta.get("tool_calls"))]
    if parts:
        yield from _call_deltas(parts)
    choices = [choice for payload in stream.payloads for choice in loose.mappings(payload.get("choices"))]
    reasons = {loose.text(choice.get("finish_reason")) for choice in choices} - {""}
    if parts and "tool_calls" not in reasons:
        yield "stop reason", f"{', '.join(sorted(reasons)) or 'none'} although tools are called"
    if "tool_calls" in reasons and not parts:
        yield "stop reason", "tool_calls although no tool is called"


_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "reasoning_encrypted")


def _call_deltas(parts: Sequence[Mapping[str, Any]]) -> Iterator[Symptom]:
    if any(not isinstance(part.get("index"), int) for part in parts):
        yield "calls", "no index"
    functions = [loose.mapping(part.get("function")) for part in parts]
    opened = [part for part, function in zip(parts, functions, strict=True) if function.get("name")]
    if not functions[0].get("name"):
        yield "calls", "arguments before the name"
    yield from _ids([part.get("id") for part in opened])
    indexes = [index for part in opened if isinstance(index := part.get("index"), int)]
    if len(set(indexes)) < len(indexes):
        yield "calls", "one index for several calls"
    if any(isinstance(function.get("arguments"), dict) for function in functions):
        yield "calls", "arguments as an object instead of text"
    if len(opened) == len(parts):
        yield "calls", "whole in one event"
        if any(function.get("arguments") == "" for function in functions):
            yield "calls", "no arguments as empty text instead of {}"


def _ids(ids: Sequence[Any]) -> Iterator[Symptom]:
    known = [identifier for each in ids if (identifier := loose.text(each))]
    if len(known) < len(ids):
        yield "calls", "no id"
    if len(set(known)) < len(known):
        yield "calls", "one id for several calls"


def _usage_place(payloads: Sequence[Mapping[str, Any]]) -> str:
    """Where usage came that has no chunk of its own; "" where it has one, or did not come."""
    for payload in payloads:
        if _counts(payload.get("usage")):
            return "in the last chunk of the answer" if payload.get("choices") else ""
        if _counts(loose.mapping(payload.get("x_groq")).get("usage")):
            return "under x_groq"
        if any(_counts(choice.get("usage")) for choice in loose.mappings(payload.get("choices"))):
            return "inside the choice"
    return ""


def _responses(stream: Stream) -> Iterator[Symptom]:
    if not stream.named:
        yield "stream", "no `event:` lines"
    if stream.done:
        yield "stream", "[DONE] at the end, as in Chat Completions"
    last = next((loose.mapping(p["response"]) for p in reversed(stream.payloads) if "response" in p), {})
    if last.get("output") == []:
        yield "stream", "the last event does not repeat the answer"
    if any("sequence_number" not in payload for payload in stream.payloads):
        yield "stream", "no sequence numbers"
    begun = _items(stream, "response.output_item.added")
    ended = _items(stream, "response.output_item.done")
    if any(place in ended and item.get("id") != ended[place].get("id") for place, item in begun.items()):
        yield "stream", "an item's id changes on the way"
    thoughts = [item for item in ended.values() if item.get("type") == "reasoning"]
    if thoughts and not any(item.get("encrypted_content") for item in thoughts):
        yield "reasoning", "not sealed: it has no encrypted_content"
    calls = [item for item in ended.values() if item.get("type") == "function_call"]
    yield from _ids([item.get("call_id") for item in calls])


def _items(stream: Stream, kind: str) -> dict[str, Mapping[str, Any]]:
    found = [payload for payload in stream.payloads if payload.get("type") == kind]
    return {str(payload.get("output_index")): loose.mapping(payload.get("item")) for payload in found}


def _deltas(payloads: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for payload in payloads:
        for choice in loose.mappings(payload.get("choices")):
            yield loose.mapping(choice.get("delta"))


def _counts(usage: Any) -> bool:
    return any(isinstance(value, int) and value > 0 for value in loose.mapping(usage).values())


def _object(data: str) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
