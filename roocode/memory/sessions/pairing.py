"""Every call in a history has exactly one result: the rule that providers enforce, and its repair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roocode.protocol.messages import Block, Message, Text, ToolCall, ToolResult

LOST = "No result: the run was interrupted before this call finished. It may have had an effect."


def open_calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """The calls of the last assistant message that have no result yet."""
    answered: set[str] = set()
    for message in reversed(messages):
        if message.role == "assistant":
            return tuple(call for call in message.calls if call.id not in answered)
        answered |= {result.call_id for result in message.results}
    return ()


def paired(messages: Iterable[Message]) -> tuple[Message, ...]:
    """A history that a strict provider takes: roles alternate, each call has one result, nothing is empty.

    Results come first in the message behind their call, in the order of the calls; a missing one becomes
    an error result, a second or unasked one is dropped. Neighbouring messages of one role are joined.
    """
    before, whole = None, tuple(messages)
    while whole != before:
        # A message that goes for being empty may leave neighbours of one role.
        before, whole = whole, _joined_and_paired(whole)
    return whole


def _joined_and_paired(messages: Iterable[Message]) -> tuple[Message, ...]:
    joined: list[Message] = []
    for message in messages:
        blocks = tuple(block for block in message.blocks if not (isinstance(block, Text) and not block.text))
        if not blocks:
            continue
        if joined and joined[-1].role == message.role:
            joined[-1] = Message(message.role, _once(joined[-1].blocks + blocks))
        else:
            joined.append(message if blocks == message.blocks else Message(message.role, blocks))
    whole: list[Message] = []
    for index, message in enumerate(joined):
        calls = joined[index - 1].calls if index and message.role == "user" else ()
        whole.append(_with_results(message, calls) if message.role == "user" else message)
    if whole and whole[-1].calls:
        whole.append(Message("user", tuple(ToolResult(call.id, LOST, True) for call in whole[-1].calls)))
    return tuple(message for message in whole if message.blocks)


def _once(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    seen: set[str] = set()
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, ToolCall):
            if block.id in seen:
                continue
            seen.add(block.id)
        kept.append(block)
    return tuple(kept)


def _with_results(message: Message, calls: Sequence[ToolCall]) -> Message:
    given: dict[str, ToolResult] = {}
    for result in message.results:
        given.setdefault(result.call_id, result)
    wanted: list[Block] = [given.get(call.id) or ToolResult(call.id, LOST, True) for call in calls]
    blocks = tuple(wanted) + tuple(b for b in message.blocks if not isinstance(b, ToolResult))
    return message if blocks == message.blocks else Message("user", blocks)
