"""Who a sub-agent is, and what came of it: plain data."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from roocode.protocol.events import RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Usage

FORK = "fork"
Status: TypeAlias = Literal["completed", "limit", "failed", "stopped", "interrupted"]


@frozen
class Profile:
    """Who it is: `label` is the name by which it is known, `kind` its definition's name, or `fork`."""

    id: str
    label: str
    kind: str
    description: str
    call: str = ""


@frozen
class Outcome:
    """What came of it: its last words, why it ended, and what is left of its worktree."""

    status: Status
    text: str = ""
    reason: str = ""
    place: str = ""
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    @property
    def figures(self) -> str:
        """What it took, in one line."""
        if not self.turns:
            return ""
        turns = f"{self.turns} turn{'' if self.turns == 1 else 's'}"
        return f"({turns}, {self.usage.total:,} tokens, {self.seconds:.0f} s)"

    @property
    def is_failure(self) -> bool:
        """Whether what was asked for was not done to its end."""
        return self.status in ("failed", "stopped", "interrupted")


def of_run(ended: RunEnded) -> Outcome:
    """The outcome of a run."""
    statuses: dict[str, Status] = {"done": "completed", "turn_limit": "limit", "budget": "limit"}
    statuses["cancelled"] = "stopped"
    return Outcome(
        statuses.get(ended.end, "failed"),
        ended.text,
        ended.reason,
        turns=ended.turns,
        usage=ended.usage,
        cost_usd=ended.cost_usd,
        seconds=ended.duration_ms / 1000,
    )
