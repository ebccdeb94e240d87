"""Clears old results of calls that only read: what they said can be read again. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from roocode.protocol.messages import Block, Message, ToolResult

KEPT = 5
"""Results that stay whole, the newest."""
SHORT = 400
"""Characters up to which a result is not worth clearing."""
CLEARED = "[Cleared to save room: call {tool} again if you need it.]"


def cleared(
    messages: Sequence[Message], readers: Collection[str], kept: int = KEPT
) -> tuple[Message, ...] | None:
    """The history without the content of old results of `readers`, the newest `kept` left whole.

    None where that would clear nothing.
    """
    names = {call.id: call.name for message in messages for call in message.calls if call.name in readers}
    answers = [
        result.call_id for message in messages for result in message.results if result.call_id in names
    ]
    old = set(answers[: max(len(answers) - kept, 0)])
    shortened = tuple(_without(message, old, names) for message in messages)
    return None if shortened == tuple(messages) else shortened


def _without(message: Message, old: Collection[str], names: dict[str, str]) -> Message:
    blocks = tuple(_block(block, old, names) for block in message.blocks)
    return message if blocks == message.blocks else Message(message.role, blocks)


def _block(block: Block, old: Collection[str], names: dict[str, str]) -> Block:
    if not isinstance(block, ToolResult) or block.call_id not in old or len(block.content) <= SHORT:
        return block
    return replace(block, content=CLEARED.format(tool=names[block.call_id]))
