"""One item of an answer in the Responses protocol: its events, whichever of them the server sends.

Servers leave out deltas, or the item's end, or both; so an item tells at each step what of it is new.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roocode.engine.models import loose
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

PIECES: Mapping[str, tuple[str, str]] = {
    "response.output_text": ("message", "text"),
    "response.refusal": ("message", "refusal"),
    "response.reasoning_summary_text": ("reasoning", "text"),
    "response.reasoning_text": ("reasoning", "text"),
    "response.function_call_arguments": ("function_call", "arguments"),
    "response.custom_tool_call_input": ("custom_tool_call", "input"),
}
"""What comes in pieces, as `.delta` and at its end whole as `.done`: the item's kind, the whole's name."""


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
    latest: Any = None
    in_pieces: bool = False
    begun: Mapping[str, Any] = field(default_factory=dict)

    @property
    def wrote(self) -> bool:
        """Whether it is a message with text."""
        return self.kind == "message" and bool(self.said)

    def added(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The item begins."""
        self.begun = item
        self._learn(item)
        if self.kind in CALLS and self.name:
            yield from self._start()

    def delta(self, name: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """A piece of the item; one that no item of this kind has is passed over."""
        if piece := loose.text(payload.get("delta")):
            yield from self._said(name, piece, payload)
            self.in_pieces = bool(self.said)

    def part(self, name: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """A part of the item as a whole: it is said now where the item does not come in pieces."""
        kind, field_name = PIECES[name]
        if kind in CALLS:
            self.name = self.name or loose.text(payload.get("name"))
        read = loose.json_text if kind == "function_call" else loose.text
        whole = read(payload.get(field_name))
        if whole and not self.in_pieces and not self.ended:
            yield from self._said(name, whole, payload)

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
            yield from self.done(self.begun)
        elif not self.started:
            yield from self._start()

    def _said(self, name: str, piece: str, payload: Mapping[str, Any]) -> Iterator[StreamEvent]:
        expected, _ = PIECES[name]
        self.kind = self.kind or expected
        if self.kind != expected:
            return
        if self.kind == "message":
            self.refused = self.refused or name == "response.refusal"
            yield from self._text(piece)
        elif self.kind == "reasoning":
            part = (name, payload.get("summary_index"), payload.get("content_index"))
            yield from self._thought(piece, part)
        else:
            yield from self._argue(piece)

    def _learn(self, item: Mapping[str, Any]) -> None:
        self.kind = self.kind or loose.text(item.get("type"))
        self.id = self.id or loose.text(item.get("id"))
        self.call_id = self.call_id or loose.text(item.get("call_id"))
        self.name = self.name or loose.text(item.get("name"))

    def _text(self, piece: str) -> Iterator[StreamEvent]:
        if not self.said and self.texts():
            yield TextDelta(BETWEEN)
        self.said.append(piece)
        yield TextDelta(piece)

    def _thought(self, piece: str, part: Any) -> Iterator[StreamEvent]:
        if self.said and part != self.latest:
            yield ThinkingDelta(BETWEEN)
        self.latest = part
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
        parts = loose.mappings(item.get("content"))
        self.refused = self.refused or any(part.get("type") == "refusal" for part in parts)
        whole = "".join(loose.text(part.get("text")) or loose.text(part.get("refusal")) for part in parts)
        if whole and not self.said:
            yield from self._text(whole)

    def _rest_of_reasoning(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        parts = loose.mappings(item.get("summary")) or loose.mappings(item.get("content"))
        whole = BETWEEN.join(text for part in parts if (text := loose.text(part.get("text"))))
        if whole and not self.said:
            yield from self._thought(whole, None)
        if content := loose.text(item.get("encrypted_content")):
            yield ThinkingDelta(signature=sealed(loose.text(item.get("id")) or self.id, content))

    def _rest_of_call(self, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if not self.started:
            yield from self._start()
        if self.kind == "custom_tool_call":
            text = "".join(self.said) or loose.text(item.get("input"))
            yield CallArguments(self.slot, json.dumps({"input": text}, ensure_ascii=False))
        elif not self.said and (arguments := loose.json_text(item.get("arguments"))):
            self.said.append(arguments)
            yield CallArguments(self.slot, arguments)
        if item.get("status") != "incomplete":
            yield CallEnded(self.slot)
