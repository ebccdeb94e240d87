"""One sub-agent as its parent's process knows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from roocode.engine.subagents.outcome import Outcome, Profile
from roocode.engine.subagents.ports import Child, Order
from roocode.protocol.events import SubAgentState


@dataclass(slots=True)
class Worker:
    """`moved` is set when it goes into the background; `task` is its work, or its wait for a place."""

    profile: Profile
    order: Order
    in_background: bool
    child: Child | None = None
    task: asyncio.Task[Outcome] | None = None
    begun: bool = False
    outcome: Outcome | None = None
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def works(self) -> bool:
        """Whether it is not at its end."""
        return self.task is not None and not self.task.done()

    @property
    def state(self) -> SubAgentState:
        """How it stands."""
        if self.works:
            if not self.begun:
                return "queued"
            return "background" if self.in_background else "working"
        if self.outcome is None or self.outcome.status in ("stopped", "interrupted"):
            return "stopped"
        return "failed" if self.outcome.status == "failed" else "completed"
