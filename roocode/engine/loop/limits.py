"""When a run must stop by itself: pure counting."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import ToolCall, ToolResult, Usage

UNKNOWN_TOOLS_IN_A_ROW = 3
BAD_ARGUMENTS_IN_A_ROW = 5
SAME_TOLD = 3
SAME_STOPPED = 6
"""Answers in a row with the same calls and the same results: the model is told, and later the run stops."""


@frozen
class Limits:
    """Turns (model requests since the last outside input), tokens, USD, seconds of a run; None: no limit."""

    turns: int | None = 50
    tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Tally:
    """What a run has used. `turns_since_input` starts again when outside input arrives.

    `cost_usd` becomes None, for good, once a price was unknown.
    """

    turns: int = 0
    turns_since_input: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    api_s: float = 0.0
    unknown_in_a_row: int = 0
    bad_arguments_in_a_row: int = 0
    same_in_a_row: int = 0
    started: float = field(default_factory=time.monotonic)
    _last: bytes = b""

    def count_request(self, usage: Usage, cost_usd: float | None, api_s: float) -> None:
        """Adds one answered request."""
        self.turns += 1
        self.turns_since_input += 1
        self.usage += usage
        self.api_s += api_s
        self._add_cost(cost_usd)

    def spend(self, usage: Usage, cost_usd: float | None) -> None:
        """Adds what a request beside the conversation has used: a summary."""
        self.usage += usage
        if usage.total:
            self._add_cost(cost_usd)

    def _add_cost(self, cost_usd: float | None) -> None:
        self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd

    def count_call(self, *, known: bool, readable: bool) -> None:
        """Adds one call: whether its tool exists and its arguments could be read."""
        self.unknown_in_a_row = 0 if known else self.unknown_in_a_row + 1
        self.bad_arguments_in_a_row = 0 if readable else self.bad_arguments_in_a_row + 1

    def count_round(self, calls: Iterable[ToolCall], results: Iterable[ToolResult]) -> None:
        """Adds the calls of one answer with their results, to notice when nothing changes any more."""
        said = [(call.name, call.arguments, call.raw) for call in calls]
        given = [(result.content, result.is_error) for result in results]
        digest = blake2b(repr((said, given)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self.same_in_a_row = self.same_in_a_row + 1 if digest == self._last else 1
        self._last = digest


@frozen
class Limit:
    """A limit that leaves no room for another request: how the run ends, and the limit in words."""

    end: Literal["turn_limit", "budget"]
    words: str


def reached(limits: Limits, tally: Tally) -> Limit | None:
    """The limit that is reached, or None."""
    if limits.turns is not None and tally.turns_since_input >= limits.turns:
        return Limit("turn_limit", f"the limit of {limits.turns} turns is reached")
    if limits.tokens is not None and tally.usage.total >= limits.tokens:
        return Limit("budget", f"the budget of {limits.tokens} tokens is used up")
    if limits.seconds is not None and seconds_left(limits.seconds, tally) <= 0:
        return Limit("budget", f"the limit of {limits.seconds:g} seconds is reached")
    if limits.cost_usd is None:
        return None
    if tally.cost_usd is None:
        return Limit("budget", "this model's price is not known, so its budget in USD cannot be kept")
    if tally.cost_usd >= limits.cost_usd:
        return Limit("budget", f"the budget of {limits.cost_usd:.2f} USD is used up")
    return None


def seconds_left(most: float, tally: Tally) -> float:
    """What is left of a limit in seconds; below 0 where it is over."""
    return most - (time.monotonic() - tally.started)


def lost(tally: Tally) -> str:
    """Why the model has lost its way, in words; empty where it has not."""
    if tally.unknown_in_a_row >= UNKNOWN_TOOLS_IN_A_ROW:
        return f"the model asked {tally.unknown_in_a_row} times in a row for a tool that does not exist"
    if tally.bad_arguments_in_a_row >= BAD_ARGUMENTS_IN_A_ROW:
        return f"the model sent arguments that cannot be read {tally.bad_arguments_in_a_row} times in a row"
    if tally.same_in_a_row >= SAME_STOPPED:
        return f"the model made the same calls {tally.same_in_a_row} times in a row, with the same results"
    return ""


def repetition(tally: Tally) -> str:
    """What the model is told when it repeats itself; empty where it does not, or has just been told."""
    if tally.same_in_a_row != SAME_TOLD:
        return ""
    return (
        f"You have made the same calls {SAME_TOLD} times in a row, with the same results each time: "
        "they will not change. Find out why, try another way, or stop and say what is missing."
    )
