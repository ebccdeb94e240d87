"""What a team may use, counted over its lead and all its members, and how its run winds up at the limit."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from roocode.engine.loop.limits import Limit, Tally
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.frozen import frozen
from roocode.protocol.team import AT_WORK, LEAD, Budget, MemberReport, MemberState

HAND_OVER_WITHIN_S = 60.0
"""A member that runs a long command at the limit holds the lead's last message up for so long at most."""
LOOK_EVERY_S = 0.5


@frozen
class Spent:
    """What a team has used: tokens, USD and the seconds that it was led; `unpriced` are members without a
    known price, whose USD are not in the sum."""

    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    unpriced: tuple[str, ...] = ()


def spent_by(reports: Sequence[MemberReport]) -> Spent:
    """The sum of what the lead and the members say of themselves. Pure."""
    return Spent(
        sum(report.tokens for report in reports),
        sum(report.cost_usd or 0.0 for report in reports),
        sum(report.seconds for report in reports if report.name == LEAD),
        tuple(report.name for report in reports if report.cost_usd is None),
    )


def used_up(budget: Budget, spent: Spent) -> Limit | None:
    """The limit of the team that is reached, or None. Pure."""
    if budget.tokens is not None and spent.tokens >= budget.tokens:
        return _limit(f"budget of {budget.tokens} tokens is used up ({spent.tokens} by all its agents)")
    if budget.seconds is not None and spent.seconds >= budget.seconds:
        return _limit(f"limit of {budget.seconds:g} seconds is reached")
    if budget.cost_usd is None:
        return None
    if spent.unpriced:
        names = ", ".join(spent.unpriced)
        return _limit(f"budget in USD cannot be kept, since the price of a model is not known: {names}")
    if spent.cost_usd >= budget.cost_usd:
        used = f"{spent.cost_usd:.4f} by all its agents"
        return _limit(f"budget of {budget.cost_usd:.2f} USD is used up ({used})")
    return None


def _limit(words: str) -> Limit:
    return Limit("budget", f"the team's {words}")


class Account:
    """Implements `Bound` for an agent of a team: what all of them have used, against what they may use.

    Its own figures are of now. Those of the others are of their last look: each agent writes its own before
    it reads theirs, and looks before every request, so all together overstep by one request each at most.
    """

    def __init__(self, store: TeamStore, own: Reporter) -> None:
        self._store = store
        self._own = own

    async def reached(self) -> Limit | None:
        """The limit of the team that is reached, or None. Raises HostError."""
        budget = await asyncio.to_thread(self._store.budget)
        if budget == Budget():
            return None
        self._own.beat()
        return used_up(budget, await asyncio.to_thread(self._spent))

    def keep_time(self) -> None:
        """Writes how long the team has been led: members read it, and so does a lead that comes later."""
        if self._store.budget().seconds is not None:
            self._own.beat()

    def _spent(self) -> Spent:
        own = self._own.now()
        names = (LEAD, *(member.name for member in self._store.team().members))
        others = (self._store.report(name) for name in names if name != own.name)
        return spent_by([own, *(report for report in others if report is not None)])


class WindUp:
    """Implements `Step` and `Bound` for a lead: at the limit it waits, once, for the members to hand over.

    Each of them is told by its own loop, before its next request. What they say reaches the lead as mail,
    before its last message: so a limit counts for the lead only once this step has found it.
    """

    def __init__(
        self,
        account: Account,
        store: TeamStore,
        states: Callable[[], Mapping[str, MemberState]],
        changed: asyncio.Event,
    ) -> None:
        self._account = account
        self._store = store
        self._states = states
        self._changed = changed
        self._limit: Limit | None = None

    async def reached(self) -> Limit | None:
        """The limit that the step has found."""
        return self._limit

    async def __call__(self, tally: Tally) -> bool:
        """Brings no outside input."""
        limit = await self._account.reached() if self._limit is None else None
        if limit is None:
            return False
        self._limit = limit
        await asyncio.to_thread(self._store.record, "budget", LEAD, {"reason": limit.words})
        ends = time.monotonic() + HAND_OVER_WITHIN_S
        while time.monotonic() < ends and await asyncio.to_thread(self._unheard):
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), LOOK_EVERY_S)
        return False

    def _unheard(self) -> bool:
        return bool(unheard(self._states(), self._store.events()))


def unheard(states: Mapping[str, MemberState], records: Iterable[Record]) -> tuple[str, ...]:
    """The members that have not handed over: at work, or idle for a reason that is not mailed yet. Pure.

    A member says that it is idle before that stands in the record, and before it mails.
    """
    silent: dict[str, bool] = {}
    for record in records:
        if record.kind == "active":
            silent[record.member] = True
        elif record.kind == "idle":
            silent[record.member] = bool(record.detail.get("reason"))
        elif record.kind == "message_written" and record.detail.get("type") == "idle_notification":
            silent[record.member] = False
    return tuple(
        name for name, state in states.items() if state in AT_WORK or (state == "idle" and silent.get(name))
    )
