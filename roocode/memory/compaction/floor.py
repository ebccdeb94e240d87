"""The last step, which needs no model and cannot fail: old rounds go, what is too long is cut. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roocode.memory.compaction import rounds
from roocode.memory.compaction.size import BYTES_PER_TOKEN, tokens_in, tokens_of
from roocode.protocol.messages import Block, Message, Text, Thinking, ToolCall, ToolResult, reminder

DROPPED = (
    "The beginning of this conversation was left out, since it no longer fitted the model's window and could "
    "not be summarised. The newest part follows. Read files again, or ask the person, for what is missing."
)
CUT = "\n[… {count:,} characters were cut here to fit the model's window …]\n"
_LEAST = 200


def floored(messages: Sequence[Message], tokens: int, *, note: str = DROPPED) -> tuple[Message, ...]:
    """The newest whole rounds that fit so many tokens, behind a note.

    Where even the last round is too long, its longest texts are cut in the middle until it fits.
    """
    head = Message("user", (reminder(note),))
    room = max(tokens - tokens_of([head]), 1)
    kept = tuple(messages[rounds.newest(messages, room) :])
    kept = shortened(kept, room)
    if kept and kept[0].role == "user":
        return (Message("user", (*head.blocks, *kept[0].blocks)), *kept[1:])
    return (head, *kept)


def shortened(messages: tuple[Message, ...], room: int) -> tuple[Message, ...]:
    """The same messages, every text cut to a length that is halved until all fit: short ones stay whole."""
    limit = room * BYTES_PER_TOKEN
    while limit > _LEAST and tokens_of(messages) > room:
        limit //= 2
        messages = tuple(
            Message(message.role, tuple(_block(block, limit) for block in message.blocks))
            for message in messages
        )
    return messages if tokens_of(messages) <= room else tuple(map(_without_thinking, messages))


def _without_thinking(message: Message) -> Message:
    return Message(message.role, tuple(block for block in message.blocks if not isinstance(block, Thinking)))


def _block(block: Block, limit: int) -> Block:
    match block:
        case Text(text):
            return Text(_middle_cut(text, limit))
        case ToolResult():
            return replace(block, content=_middle_cut(block.content, limit))
        case ToolCall():
            return _call(block, limit)
        case Thinking():
            return block


def _call(call: ToolCall, limit: int) -> ToolCall:
    """Long texts among the arguments are cut: the call has been carried out, and is only told of."""
    if call.arguments is None:
        return replace(call, raw=_middle_cut(call.raw, limit))
    arguments = {
        name: _middle_cut(value, limit) if isinstance(value, str) else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=arguments)


def _middle_cut(text: str, limit: int) -> str:
    """A text of about `limit` quarters of a token: dense scripts keep fewer characters."""
    if tokens_in(text) * BYTES_PER_TOKEN <= limit:
        return text
    kept = max(limit // BYTES_PER_TOKEN, _LEAST // BYTES_PER_TOKEN)
    gone = len(text) - 2 * kept
    return text[:kept] + CUT.format(count=gone) + text[-kept:] if gone > len(CUT) else text
