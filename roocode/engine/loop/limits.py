"""When a run must stop by itself: pure counting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Usage

UNKNOWN_TOOLS_IN_A_ROW = 3
BAD_ARGUMENTS_IN_A_ROW = 5


@frozen
class Limits:
    """Turns (model requests since the last outside input), tokens and USD; None means no limit."""

    turns: int | None = 50
    tokens: int | None = None
    cost_usd: float | None = None


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

    def count_request(self, usage: Usage, cost_usd: float | None, api_s: float) -> None:
        """Adds one answered request."""
        self.turns += 1
        self.turns_since_input += 1
        self.usage += usage
        self.api_s += api_s
        self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd

    def spend(self, usage: Usage, cost_usd: float | None) -> None:
        """Adds what a request beside the conversation has used: a summary."""
        self.usage += usage
        if usage.total:
            self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd

    def count_call(self, *, known: bool, readable: bool) -> None:
        """Adds one call: whether its tool exists and its arguments could be read."""
        self.unknown_in_a_row = 0 if known else self.unknown_in_a_row + 1
        self.bad_arguments_in_a_row = 0 if readable else self.bad_arguments_in_a_row + 1


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
    if limits.cost_usd is None:
        return None
    if tally.cost_usd is None:
        return Limit("budget", "this model's price is not known, so its budget in USD cannot be kept")
    if tally.cost_usd >= limits.cost_usd:
        return Limit("budget", f"the budget of {limits.cost_usd:.2f} USD is used up")
    return None


def lost(tally: Tally) -> str:
    """Why the model has lost its way, in words; empty where it has not."""
    if tally.unknown_in_a_row >= UNKNOWN_TOOLS_IN_A_ROW:
        return f"the model asked {tally.unknown_in_a_row} times in a row for a tool that does not exist"
    if tally.bad_arguments_in_a_row >= BAD_ARGUMENTS_IN_A_ROW:
        return f"the model sent arguments that cannot be read {tally.bad_arguments_in_a_row} times in a row"
    return ""
