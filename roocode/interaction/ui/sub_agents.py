"""What is known of sub-agents from their events: one line each while they work, one when they end. No I/O."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from roocode.interaction.ui.call_line import call_line
from roocode.protocol.events import (
    Answered,
    CallBegan,
    Event,
    PermissionAnswered,
    PermissionAsked,
    RequestStarted,
    RoomMade,
    SubAgentChanged,
)
from roocode.protocol.frozen import frozen

CALL_WIDTH = 48
WORKING = ("queued", "working", "background")


@frozen
class SubAgent:
    """One at this moment; `doing` is what it does, `since` when it began, in monotonic seconds."""

    name: str
    kind: str
    description: str
    state: str
    since: float
    doing: str = ""
    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0

    @property
    def figures(self) -> str:
        """What it has used so far."""
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        cost = f"{self.cost_usd:.4f} USD" if self.cost_usd else ""
        tokens = f"{self.tokens / 1000:.1f}k tokens" if self.tokens else ""
        return " · ".join(part for part in (calls, tokens, cost) if part)


@dataclass(slots=True)
class SubAgents:
    """Those of all agents, by name; `working` are the ones that are not at their end."""

    known: dict[str, SubAgent] = field(default_factory=dict)

    @property
    def working(self) -> tuple[SubAgent, ...]:
        """In the order in which they began."""
        return tuple(each for each in self.known.values() if each.state in WORKING)

    def take(self, event: Event) -> SubAgent | None:
        """Takes in an event of one; gives it back when it has just ended."""
        if isinstance(event, SubAgentChanged):
            return self._changed(event)
        one = self.known.get(event.agent)
        if one is None:
            return None
        match event:
            case RequestStarted():
                one = replace(one, doing="thinking")
            case CallBegan():
                one = replace(one, doing=call_line(event.call, CALL_WIDTH), calls=one.calls + 1)
            case PermissionAsked():
                one = replace(one, doing="waiting for your answer")
            case PermissionAnswered():
                one = replace(one, doing="running")
            case Answered():
                one = _spent(one, event.reply.usage.total, event.cost_usd)
            case RoomMade():
                one = _spent(one, event.usage.total, event.cost_usd)
            case _:
                pass
        self.known[event.agent] = one
        return None

    def _changed(self, event: SubAgentChanged) -> SubAgent | None:
        before = self.known.get(event.agent)
        fresh = before is None or before.state not in WORKING
        one = SubAgent(event.agent, event.kind, event.description, event.state, time.monotonic())
        if before is not None and not fresh:
            one = replace(before, state=event.state)
        self.known[event.agent] = one
        return one if event.state not in WORKING else None


def _spent(one: SubAgent, tokens: int, cost_usd: float | None) -> SubAgent:
    known = one.cost_usd is not None and cost_usd is not None
    cost = (one.cost_usd or 0.0) + (cost_usd or 0.0) if known else None
    return replace(one, tokens=one.tokens + tokens, cost_usd=cost)
