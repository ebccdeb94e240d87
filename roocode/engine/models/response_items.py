"""One item of an answer in the Responses protocol: its events, whichever of them the server sends.

Servers leave out deltas, or the item's end, or both; so an item tells at each step what of it is new.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)

CALLS = ("function_call", "custom_tool_call")
BETWEEN = "\n\n"

_KINDS = {
    "response.output_text.delta": "message",
    "response.refusal.delta": "message",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": "custom_tool_call",
}


def sealed(identifier: str, content: str) -> str:
    """The signature of sealed reasoning: the item's id and its `encrypted_content` in one text."""
    return f"{identifier} {content}"


def unsealed(signature: str) -> tuple[str, str] | None:
    """The inverse of `sealed`; None for a signature of another protocol."""
    identifier, blank, content = signature.partition(" ")
    return (identifier, content) if blank and identifier and content else None


@dataclass(slots=True)
class Item:
    """`calls` counts the calls that have started before, `texts` tells whether any text has come."""

    place: int
    calls: Callable[[], int]
    texts: Callable[[], bool]
    kind: str = ""
    id: str = ""
    call_id: str = ""
    name: str = ""
    started: bool = False
    ended: bool = False
    refused: bool = False
    slot: int = 0
    said: list[str] = field(default_factory=list)
    part: Any = None

    @property
    def wrote(self) -> bool:
        """Whether it is a message with text."""
        return self.kind == "message" and bool(self.said)

    def added(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The item begins."""
        self._learn(item)
        if self.kind in CALLS and self.name:
            yield from self._start()

    def delta(self, kind: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """A piece of the item; a kind that no item of ours has is passed over."""
        expected, piece = _KINDS.get(kind), payload.get("delta")
        if expected is None or not isinstance(piece, str) or not piece:
            return
        self.kind = self.kind or expected
        if self.kind != expected:
            return
        if self.kind == "message":
            self.refused = self.refused or kind == "response.refusal.delta"
            yield from self._text(piece)
        elif self.kind == "reasoning":
            part = (kind, payload.get("summary_index"), payload.get("content_index"))
            yield from self._thought(piece, part)
        else:
            yield from self._argue(piece)

    def done(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The item as a whole: what of it no delta has brought is said now."""
        if self.ended:
            return
        self._learn(item)
        match self.kind:
            case "message":
                yield from self._rest_of_message(item)
            case "reasoning":
                yield from self._rest_of_reasoning(item)
            case "function_call" | "custom_tool_call":
                yield from self._rest_of_call(item)
            case _:
                pass
        self.ended = True

    def end(self, *, whole: bool) -> Iterator[StreamEvent]:
        """The answer is over: a call that no event has ended is whole only where the answer is."""
        if self.kind not in CALLS or self.ended or not (self.name or self.said):
            return
        if whole:
            yield from self.done({})
        elif not self.started:
            yield from self._start()

    def _learn(self, item: Mapping[str, Any]) -> None:
        self.kind = self.kind or _string(item.get("type"))
        self.id = self.id or _string(item.get("id"))
        self.call_id = self.call_id or _string(item.get("call_id"))
        self.name = self.name or _string(item.get("name"))

    def _text(self, piece: str) -> Iterator[StreamEvent]:
        if not self.said and self.texts():
            yield TextDelta(BETWEEN)
        self.said.append(piece)
        yield TextDelta(piece)

    def _thought(self, piece: str, part: Any) -> Iterator[StreamEvent]:
        if self.said and part != self.part:
            yield ThinkingDelta(BETWEEN)
        self.part = part
        self.said.append(piece)
        yield ThinkingDelta(piece)

    def _start(self) -> Iterator[StreamEvent]:
        self.slot, self.started = self.calls(), True
        yield CallStarted(self.slot, self.call_id, self.name)
        if self.said and self.kind == "function_call":
            yield CallArguments(self.slot, "".join(self.said))

    def _argue(self, piece: str) -> Iterator[StreamEvent]:
        """Text of a custom tool is no JSON: it becomes the one argument `input` when it is whole."""
        self.said.append(piece)
        if self.started and self.kind == "function_call":
            yield CallArguments(self.slot, piece)

    def _rest_of_message(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        parts = _parts(item.get("content"))
        self.refused = self.refused or any(part.get("type") == "refusal" for part in parts)
        whole = "".join(_string(part.get("text")) or _string(part.get("refusal")) for part in parts)
        if whole and not self.said:
            yield from self._text(whole)

    def _rest_of_reasoning(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        parts = _parts(item.get("summary")) or _parts(item.get("content"))
        whole = BETWEEN.join(text for part in parts if (text := _string(part.get("text"))))
        if whole and not self.said:
            yield from self._thought(whole, None)
        if content := _string(item.get("encrypted_content")):
            yield ThinkingDelta(signature=sealed(_string(item.get("id")) or self.id, content))

    def _rest_of_call(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if not self.started:
            yield from self._start()
        if self.kind == "custom_tool_call":
            text = "".join(self.said) or _string(item.get("input"))
            yield CallArguments(self.slot, json.dumps({"input": text}, ensure_ascii=False))
        elif not self.said and (arguments := _json_text(item.get("arguments"))):
            self.said.append(arguments)
            yield CallArguments(self.slot, arguments)
        if item.get("status") != "incomplete":
            yield CallEnded(self.slot)


def _json_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _parts(value: Any) -> list[Mapping[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
