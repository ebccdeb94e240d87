"""Which calls of one answer may run together: pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import ToolCall

MOST_TOGETHER = 10


@frozen
class Batch:
    """Neighbouring calls: all safe together, or a single one that is not."""

    calls: tuple[ToolCall, ...]
    together: bool


def partition(calls: Sequence[ToolCall], safe: Callable[[ToolCall], bool]) -> tuple[Batch, ...]:
    """Splits calls, in order: [Read, Read, Edit, Read, Read] gives three batches.

    At most MOST_TOGETHER calls share a batch.
    """
    batches: list[Batch] = []
    for call in calls:
        together = safe(call)
        last = batches[-1] if batches else None
        if last and together and last.together and len(last.calls) < MOST_TOGETHER:
            batches[-1] = Batch((*last.calls, call), True)
        else:
            batches.append(Batch((call,), together))
    return tuple(batches)
