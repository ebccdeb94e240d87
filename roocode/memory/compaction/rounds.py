"""Where a history may be cut: only between whole rounds, so that no call loses its result. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from roocode.memory.compaction.size import tokens_of
from roocode.protocol.messages import Message


def starts(messages: Sequence[Message]) -> tuple[int, ...]:
    """The places where a round begins: an answer of the model, or a message of the person before one.

    An answer belongs to the person's message in front of it, and the results behind it belong to the answer.
    """
    return tuple(index for index, message in enumerate(messages) if _begins(messages, index, message))


def _begins(messages: Sequence[Message], index: int, message: Message) -> bool:
    if message.role == "user":
        return not message.results
    return index == 0 or bool(messages[index - 1].results)


def newest(messages: Sequence[Message], tokens: int) -> int:
    """Where the newest rounds begin that have at most so many tokens together; the last is always whole."""
    cuts = starts(messages)
    cut, used, end = cuts[-1] if cuts else 0, 0, len(messages)
    for start in reversed(cuts):
        used += tokens_of(messages[start:end])
        if used > tokens and start != cuts[-1]:
            break
        cut, end = start, start
    return cut


def oldest(messages: Sequence[Message], tokens: int) -> int:
    """Where the oldest rounds end that have at most so many tokens together; at least one round is taken."""
    cuts = [*starts(messages)[1:], len(messages)]
    used, begin, end = 0, 0, 0
    for cut in cuts:
        used += tokens_of(messages[begin:cut])
        if used > tokens and end:
            break
        begin = end = cut
    return end
