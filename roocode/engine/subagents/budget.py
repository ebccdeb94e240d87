"""One budget for a run and the sub-agents that work for it: what each uses counts for all."""

from __future__ import annotations

import time
from collections.abc import Callable

from roocode.engine.loop.limits import Beside, Tally
from roocode.protocol.events import Answered, Event, RoomMade
from roocode.protocol.messages import Usage


class Budget:
    """Sums up what all agents of a session have used since the person's last prompt; a step for each of them.

    It hears every event of theirs, the parent's too.
    """

    def __init__(self) -> None:
        self._usage = Usage()
        self._cost_usd: float | None = 0.0
        self._since = time.monotonic()

    def begin(self) -> None:
        """The person has given new work: it has the whole budget."""
        self._usage, self._cost_usd, self._since = Usage(), 0.0, time.monotonic()

    def wake(self) -> None:
        """A run begins after a rest: the time of the rest is nobody's."""
        self._since = time.monotonic()

    def counting(self, show: Callable[[Event], None]) -> Callable[[Event], None]:
        """Takes in each event before `show` does."""

        def emit(event: Event) -> None:
            self.take(event)
            show(event)

        return emit

    def take(self, event: Event) -> None:
        """Counts an answer or a summary."""
        if isinstance(event, Answered):
            self._spend(event.reply.usage, event.cost_usd)
        elif isinstance(event, RoomMade) and event.usage.total:
            self._spend(event.usage, event.cost_usd)

    def _spend(self, usage: Usage, cost_usd: float | None) -> None:
        self._usage += usage
        known = self._cost_usd is not None and cost_usd is not None
        self._cost_usd = (self._cost_usd or 0.0) + (cost_usd or 0.0) if known else None

    async def __call__(self, tally: Tally) -> bool:
        """Puts what the others have used beside what this run has. Brings no outside input."""
        own = tally.cost_usd
        cost = None if self._cost_usd is None or own is None else max(self._cost_usd - own, 0.0)
        tokens = max(self._usage.total - tally.usage.total, 0)
        tally.beside = Beside(tokens, cost, max(tally.started - self._since, 0.0))
        return False
