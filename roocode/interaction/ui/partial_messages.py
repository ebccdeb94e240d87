"""Answers piece by piece, as the events of Anthropic's stream that clients put together again. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from roocode.interaction.ui import anthropic_shape
from roocode.protocol.events import AnswerDelta, Answered, Event, RequestRetried, RequestStarted
from roocode.protocol.messages import Text, Thinking

Piece: TypeAlias = dict[str, Any]

EMPTY_BLOCKS = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}


@dataclass(slots=True)
class PartialMessages:
    """Keeps one open message for each agent. Calls come whole, when the answer does."""

    open: dict[str, _Message] = field(default_factory=dict)

    def take(self, event: Event) -> Iterator[Piece]:
        """The stream events that an event stands for; a retry begins the message anew."""
        match event:
            case RequestStarted() | RequestRetried():
                self.open.pop(event.agent, None)
            case AnswerDelta():
                yield from self._message(event).add(event.kind, event.text)
            case Answered():
                yield from self._message(event).end(event)
                self.open.pop(event.agent, None)
            case _:
                pass

    def _message(self, event: Event) -> _Message:
        return self.open.setdefault(event.agent, _Message())


@dataclass(slots=True)
class _Message:
    is_begun: bool = False
    kind: str = ""
    index: int = -1

    def add(self, kind: str, text: str) -> Iterator[Piece]:
        if kind != self.kind:
            yield from self._begin_block(EMPTY_BLOCKS[kind])
            self.kind = kind
        yield self._delta({"type": f"{kind}_delta", kind: text})

    def end(self, event: Answered) -> Iterator[Piece]:
        shape = anthropic_shape.reply(event.reply)
        streamed = (Text, Thinking) if self.is_begun else ()
        for block, content in zip(event.reply.message.blocks, shape["content"], strict=True):
            if not isinstance(block, streamed):
                yield from self._whole_block(content)
        yield from self._begin()
        yield from self._end_block()
        delta = {"stop_reason": shape["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": shape["usage"]}
        yield {"type": "message_stop"}

    def _whole_block(self, content: Piece) -> Iterator[Piece]:
        if content["type"] != "tool_use":
            yield from self._begin_block(content)
            return
        yield from self._begin_block(content | {"input": {}})
        arguments = json.dumps(content["input"], ensure_ascii=False)
        yield self._delta({"type": "input_json_delta", "partial_json": arguments})

    def _begin(self) -> Iterator[Piece]:
        if not self.is_begun:
            self.is_begun = True
            message = {"type": "message", "role": "assistant", "content": []}
            yield {"type": "message_start", "message": message}

    def _begin_block(self, content: Piece) -> Iterator[Piece]:
        yield from self._begin()
        yield from self._end_block()
        self.index += 1
        self.kind = content["type"]
        yield {"type": "content_block_start", "index": self.index, "content_block": content}

    def _end_block(self) -> Iterator[Piece]:
        if self.kind:
            self.kind = ""
            yield {"type": "content_block_stop", "index": self.index}

    def _delta(self, delta: Piece) -> Piece:
        return {"type": "content_block_delta", "index": self.index, "delta": delta}
