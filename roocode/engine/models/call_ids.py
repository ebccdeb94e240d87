"""Ids of tool calls: one call, one id, in every conversation and for every endpoint."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Set as AbstractSet
from dataclasses import replace

from roocode.protocol.models import CallStarted

_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")


class CallIds:
    """Gives the calls of one response ids that no other call of the conversation has.

    An id that is missing becomes `call_<turn>_<slot>`; one that is taken gets a number behind it. So the
    same stream in the same conversation always gives the same ids.
    """

    def __init__(self, taken: AbstractSet[str] = frozenset(), turn: int = 0) -> None:
        self._taken = taken
        self._mine: set[str] = set()
        self._turn = turn

    def settle(self, event: CallStarted) -> CallStarted:
        """The event with an id of its own."""
        wanted = event.id or f"call_{self._turn}_{event.slot}"
        chosen, count = wanted, 1
        while chosen in self._taken or chosen in self._mine:
            count += 1
            chosen = f"{wanted}_{count}"
        self._mine.add(chosen)
        return event if chosen == event.id else replace(event, id=chosen)


def portable(call_id: str, accepted: re.Pattern[str]) -> str:
    """The id itself where the endpoint takes it, else nine letters and digits that stand for it."""
    if accepted.fullmatch(call_id):
        return call_id
    return "c" + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:8]


def portable_name(name: str) -> str:
    """A tool name that every provider takes in a history, whatever the model called."""
    return _UNFIT.sub("_", name)[:64] or "unnamed"
