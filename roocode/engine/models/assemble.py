"""Puts the events of a stream together to one reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from roocode.engine.models.arguments import cut_call, read_call, unfinished_call
from roocode.protocol.errors import StreamCut
from roocode.protocol.messages import Block, Message, Reply, Text, Thinking, ToolCall, Usage
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    Retrying,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)


@dataclass(slots=True)
class _Text:
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Thinking:
    pieces: list[str] = field(default_factory=list)
    signature: str | None = None
    redacted: bool = False


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    pieces: list[str] = field(default_factory=list)
    ended: bool = False


class ReplyBuilder:
    """Takes events as they come and gives the reply once `Finished` was among them.

    `Retrying` voids what came before it. Blocks stand in the order of their first event; text that follows
    text and thinking that follows unsigned thinking are one block.
    """

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._blocks: list[_Text | _Thinking | _Call] = []
        self._calls: dict[int, _Call] = {}
        self._usage = Usage()
        self._finished: Finished | None = None

    def add(self, event: StreamEvent | Retrying) -> None:
        """Takes one event in."""
        match event:
            case TextDelta():
                self._text().pieces.append(event.text)
            case ThinkingDelta():
                self._think(event)
            case CallStarted():
                call = self._calls[event.slot] = _Call(event.id, event.name)
                self._blocks.append(call)
            case CallArguments():
                self._calls[event.slot].pieces.append(event.text)
            case CallEnded():
                self._calls[event.slot].ended = True
            case UsageReported():
                self._usage = event.usage
            case Finished():
                self._finished = event
            case Retrying():
                self._reset()
            case _:
                assert_never(event)

    def reply(self) -> Reply:
        """The whole reply. Raises StreamCut where `Finished` has not come."""
        if self._finished is None:
            raise StreamCut("the answer ended before its last event", "Nothing of it was used. Try again.")
        last = self._finished
        origin = last.by.partition("/")[0]
        blocks = tuple(self._block(block, origin) for block in self._blocks)
        return Reply(Message("assistant", blocks), last.stop, self._usage, last.model, last.by, last.breaks)

    def _text(self) -> _Text:
        last = self._blocks[-1] if self._blocks else None
        if not isinstance(last, _Text):
            last = _Text()
            self._blocks.append(last)
        return last

    def _think(self, event: ThinkingDelta) -> None:
        last = self._blocks[-1] if self._blocks else None
        if not isinstance(last, _Thinking) or last.signature or last.redacted or event.redacted:
            last = _Thinking(redacted=event.redacted)
            self._blocks.append(last)
        last.pieces.append(event.text)
        last.signature = event.signature

    def _block(self, block: _Text | _Thinking | _Call, origin: str) -> Block:
        match block:
            case _Text():
                return Text("".join(block.pieces))
            case _Thinking():
                return Thinking("".join(block.pieces), block.signature, block.redacted, origin)
            case _Call():
                return self._call(block)

    def _call(self, call: _Call) -> ToolCall:
        """At the output limit the last block is the one that was cut, even if nothing of it has come."""
        raw = "".join(call.pieces)
        read = read_call(call.id, call.name, raw)
        at_limit = self._finished is not None and self._finished.stop == "max_tokens"
        if (
            at_limit
            and call is self._blocks[-1]
            and (read.arguments is None or not raw.strip() or not call.ended)
        ):
            return cut_call(call.id, call.name, raw)
        return read if call.ended else unfinished_call(call.id, call.name, raw)


def assemble(events: Iterable[StreamEvent | Retrying]) -> Reply:
    """The reply of a whole stream. Raises StreamCut where `Finished` is missing."""
    builder = ReplyBuilder()
    for event in events:
        builder.add(event)
    return builder.reply()
