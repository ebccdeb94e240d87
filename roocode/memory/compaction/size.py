"""How many tokens text will be, told before anybody counts them. Pure.

A tokenizer's tables are not here offline, so it is an estimate: four bytes of ASCII a token, as providers'
own pages put it, a token for each character of scripts without blanks (Chinese, Japanese, Korean), half a one
for other letters. What a provider then counted corrects it (`Measure`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import assert_never

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from roocode.protocol.tools import ToolSpec

BYTES_PER_TOKEN = 4
PER_BLOCK = 4
"""Tokens that a block costs beside its text: its role, its id, its marks."""

_DENSE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)


def tokens_in(text: str) -> int:
    """The tokens of a text, rounded up."""
    if text.isascii():
        return -(-len(text) // BYTES_PER_TOKEN)
    dense = len(_DENSE.findall(text))
    plain = len(text.encode("ascii", "ignore"))
    other = len(text) - dense - plain
    return dense + -(-other // 2) + -(-plain // BYTES_PER_TOKEN)


def tokens_of(messages: Iterable[Message]) -> int:
    """The tokens of messages."""
    return sum(_of_message(message) for message in messages)


def tokens_of_frame(system: str, tools: Iterable[ToolSpec]) -> int:
    """The tokens of what stands before the messages in each request."""
    described = (f"{tool.name}{tool.description}{json.dumps(tool.parameters)}" for tool in tools)
    return tokens_in(system) + sum(tokens_in(text) + PER_BLOCK for text in described)


def _of_message(message: Message) -> int:
    return sum(_of_block(block) for block in message.blocks)


def _of_block(block: Block) -> int:
    match block:
        case Text(text):
            return PER_BLOCK + tokens_in(text)
        case Thinking():
            return PER_BLOCK + tokens_in(block.text) + tokens_in(block.signature or "")
        case ToolCall():
            return 2 * PER_BLOCK + tokens_in(block.name) + tokens_in(_arguments(block))
        case ToolResult():
            return 2 * PER_BLOCK + tokens_in(block.content)
        case _:
            assert_never(block)


def _arguments(call: ToolCall) -> str:
    return call.raw if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)


@frozen
class Measure:
    """What a provider counted for a conversation of `messages` messages: tokens in all, its answer included.

    `estimated` is what this module makes of the same messages and frame.
    """

    messages: int
    tokens: int
    estimated: int

    @property
    def error(self) -> float:
        """How far the estimate is off: 0.1 where it is ten per cent too high, -0.1 where it is too low."""
        return self.estimated / self.tokens - 1 if self.tokens else 0.0


class Totals:
    """The tokens of a conversation that grows: what was there before is not counted again."""

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._totals = [0]

    def __call__(self, messages: tuple[Message, ...]) -> Sequence[int]:
        """At each place the tokens of so many first messages, at the last those of all."""
        pairs = enumerate(zip(self._messages, messages, strict=False))
        shared = min(len(self._messages), len(messages))
        known = next((at for at, (old, new) in pairs if old is not new), shared)
        del self._totals[known + 1 :]
        for message in messages[known:]:
            self._totals.append(self._totals[-1] + _of_message(message))
        self._messages = messages
        return self._totals


def size(totals: Sequence[int], frame: int, measure: Measure | None) -> int:
    """The tokens of a request, by its messages' totals: what was counted, and an estimate of the rest.

    Without a measure, or with one of a longer conversation, all of it is an estimate.
    """
    if measure is None or measure.messages >= len(totals):
        return frame + totals[-1]
    return measure.tokens + totals[-1] - totals[measure.messages]
