"""The Anthropic Messages protocol, version 2023-06-01: responses.

A message's blocks come one after another, each with start, deltas and stop; `message_delta` brings the stop
reason and the usage so far, `message_stop` is the last event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from roocode.engine.models import loose
from roocode.engine.models.failures import Failures
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.messages import StopReason, Usage
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)

_STOPS: dict[str, StopReason] = {
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "window",
}
_USAGE_FIELDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}


@dataclass(slots=True)
class _OpenBlock:
    kind: str
    slot: int = 0
    signature: list[str] = field(default_factory=list)
    given: Mapping[str, Any] = field(default_factory=dict)
    fed: bool = False


class AnthropicParser:
    """Implements `Parser` for one Messages response. Blocks and deltas of unknown kinds are passed over."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._open: dict[int, _OpenBlock] = {}
        self._calls = 0
        self._usage = Usage()
        self._reason = ""
        self._model = ""
        self.settled = False
        self.complete = False

    def event(self, event: ServerSentEvent) -> Iterator[StreamEvent]:
        """What this event means."""
        if event.data.strip() == "[DONE]":
            return
        try:
            payload = json.loads(event.data)
        except (ValueError, RecursionError):
            raise self._failures.cut("an event is not JSON") from None
        if isinstance(payload, dict):
            yield from self._payload(payload.get("type") or event.name, payload)

    def whole(self, body: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """What a response means that was not streamed."""
        if not isinstance(body.get("content"), list):
            raise self._failures.not_an_answer("JSON that is no message")
        yield from self._payload("message_start", {"message": body})
        yield from self._payload("message_stop", {})

    def end(self) -> Iterator[StreamEvent]:
        """StreamCut, unless `message_stop` has come."""
        if not self.complete:
            raise self._failures.cut("it ended without message_stop")
        yield from ()

    def _payload(self, kind: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        match kind:
            case "message_start":
                yield from self._message(loose.mapping(payload.get("message")))
            case "content_block_start":
                yield from self._start(_index(payload), loose.mapping(payload.get("content_block")))
            case "content_block_delta":
                yield from self._delta(_index(payload), loose.mapping(payload.get("delta")))
            case "content_block_stop":
                yield from self._stop(_index(payload))
            case "message_delta":
                delta = loose.mapping(payload.get("delta"))
                self._reason = loose.text(delta.get("stop_reason")) or self._reason
                yield from self._count(payload.get("usage"))
            case "message_stop":
                self.settled = self.complete = True
                yield Finished(self._stop_reason(), self._model)
            case "error":
                raise self._failures.in_stream(payload)
            case _:
                pass

    def _message(self, message: Mapping[str, Any]) -> Iterator[StreamEvent]:
        self._open.clear()
        self._model = loose.text(message.get("model")) or self._model
        self._reason = loose.text(message.get("stop_reason")) or self._reason
        yield from self._count(message.get("usage"))
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else []):
            yield from self._start(index, loose.mapping(block))
            yield from self._stop(index)

    def _start(self, index: int, block: Mapping[str, Any]) -> Iterator[StreamEvent]:
        kind = loose.text(block.get("type"))
        opened = self._open[index] = _OpenBlock(kind)
        match kind:
            case "text":
                yield from _text_delta(block)
            case "thinking":
                yield from _thinking_delta(block)
                opened.signature.append(loose.text(block.get("signature")))
            case "redacted_thinking":
                yield ThinkingDelta(loose.text(block.get("data")), redacted=True)
            case "tool_use":
                opened.slot, opened.given = self._calls, loose.mapping(block.get("input"))
                self._calls += 1
                yield CallStarted(opened.slot, loose.text(block.get("id")), loose.text(block.get("name")))
            case _:
                pass

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        block = self._open.get(index)
        if block is None:
            return
        match block.kind, delta.get("type"):
            case "text", "text_delta":
                yield from _text_delta(delta)
            case "thinking", "thinking_delta":
                yield from _thinking_delta(delta)
            case "thinking", "signature_delta":
                block.signature.append(loose.text(delta.get("signature")))
            case "tool_use", "input_json_delta":
                if piece := loose.text(delta.get("partial_json")):
                    block.fed = True
                    yield CallArguments(block.slot, piece)
            case _:
                pass

    def _stop(self, index: int) -> Iterator[StreamEvent]:
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "thinking" and (signature := "".join(block.signature)):
            yield ThinkingDelta(signature=signature)
        if block.kind == "tool_use":
            if block.given and not block.fed:
                yield CallArguments(block.slot, json.dumps(block.given, ensure_ascii=False))
            yield CallEnded(block.slot)

    def _count(self, usage: Any) -> Iterator[StreamEvent]:
        """Each report is a total of the response: fields that it has replace those before."""
        counts: dict[str, Any] = {
            ours: value
            for theirs, ours in _USAGE_FIELDS.items()
            if isinstance(value := loose.mapping(usage).get(theirs), int) and value >= 0
        }
        if counts:
            self._usage = replace(self._usage, **counts)
            yield UsageReported(self._usage)

    def _stop_reason(self) -> StopReason:
        """By the calls where the two disagree: servers err in the reason, not in the blocks."""
        if self._reason in _STOPS:
            return _STOPS[self._reason]
        if self._calls:
            return "tools"
        return "stop_sequence" if self._reason == "stop_sequence" else "end"


def _text_delta(source: Mapping[str, Any]) -> Iterator[StreamEvent]:
    if text := loose.text(source.get("text")):
        yield TextDelta(text)


def _thinking_delta(source: Mapping[str, Any]) -> Iterator[StreamEvent]:
    if text := loose.text(source.get("thinking")):
        yield ThinkingDelta(text)


def _index(payload: Mapping[str, Any]) -> int:
    index = payload.get("index")
    return index if isinstance(index, int) else 0
