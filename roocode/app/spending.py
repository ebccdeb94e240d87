"""What a session has used, over all its runs, and the budget that holds for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from roocode.engine.loop.limits import Limit, Limits, Tally, reached
from roocode.engine.models import catalog
from roocode.interaction.config.settings import Settings
from roocode.memory.sessions import codec
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.events import Answered, Event, RoomMade, RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Usage
from roocode.protocol.models import ModelInfo

RAISE: Final = "a larger --max-budget-tokens or --max-budget-usd lets the session go on"

Prices = Callable[[str], ModelInfo]
"""What is known of a model by its full name, `provider/model-id`."""


@frozen
class Budget:
    """The most that a session may use; None: no limit."""

    tokens: int | None = None
    usd: float | None = None


@frozen
class Spent:
    """What was used; `usd` is None once a price was not known."""

    usage: Usage = Usage()
    usd: float | None = 0.0

    def plus(self, usage: Usage, usd: float | None) -> Spent:
        """With one request more; one that used nothing costs nothing."""
        if not usage.total:
            return self
        return Spent(self.usage + usage, None if usd is None or self.usd is None else self.usd + usd)

    @property
    def words(self) -> str:
        """In words for a person."""
        cost = "cost unknown" if self.usd is None else f"{self.usd:.4f} USD"
        return f"{self.usage.total:,} tokens, {cost}"


def refused(limit: Limit) -> RunEnded:
    """The end of a run that a limit leaves no room for: nothing was asked of the model."""
    reason = f"{limit.words}, so nothing was asked; {RAISE}"
    nothing: dict[str, Any] = {"text": "", "turns": 0, "usage": Usage(), "cost_usd": 0.0, "duration_ms": 0}
    return RunEnded(end=limit.end, reason=reason, exit_code=53, **nothing)


def spent_in(past: Replayed, prices: Prices) -> Spent:
    """What a log says was used, at the prices of now."""
    spent = Spent()
    for by, usage in past.spent.items():
        spent = spent.plus(usage, prices(by or past.header.model).cost(usage))
    return spent


def prices_of(settings: Settings | None) -> Prices:
    """The catalog's prices and those that the person has set."""

    def price(name: str) -> ModelInfo:
        provider, _, model = name.partition("/")
        info = catalog.lookup(provider, model)
        facts = settings.models.get(name, {}) if settings is not None else {}
        return replace(info, **{"known": True, **facts}) if facts else info

    return price


class Account:
    """Implements the loop's Bound for one session: counts events, of sub-agents too, over all its runs.

    `given` is the budget of the command line; where it says nothing, that of the log goes on.
    """

    def __init__(
        self, conversation: Conversation, past: Replayed | None, given: Budget, prices: Prices, agent: str
    ) -> None:
        before = _budget(past.budget) if past is not None else Budget()
        self.spent = spent_in(past, prices) if past is not None else Spent()
        self.budget = Budget(
            before.tokens if given.tokens is None else given.tokens,
            before.usd if given.usd is None else given.usd,
        )
        self._conversation = conversation
        self._agent = agent
        self._is_noted = self.budget == before

    def begin(self) -> Limit | None:
        """A run begins: the budget is in the log from here on. Returns the limit that leaves it no room."""
        if not self._is_noted:
            self._is_noted = True
            self._conversation.note("budget", limits={"tokens": self.budget.tokens, "usd": self.budget.usd})
        return self._limit()

    def take(self, event: Event) -> Event:
        """Counts an event; the end of a run is given back with what the session has used."""
        match event:
            case Answered():
                self._count(event, event.reply.usage, event.reply.by)
            case RoomMade():
                self._count(event, event.usage, "")
            case RunEnded() if event.agent == self._agent:
                return replace(event, session_usage=self.spent.usage, session_cost_usd=self.spent.usd)
            case _:
                pass
        return event

    async def reached(self) -> Limit | None:
        """The limit that leaves no room for another request, or None."""
        return self._limit()

    @property
    def words(self) -> str:
        """What the session has used, of how much."""
        limits = (
            f"{self.budget.tokens:,} tokens" if self.budget.tokens is not None else "",
            f"{self.budget.usd:.2f} USD" if self.budget.usd is not None else "",
        )
        budget = " and ".join(filter(None, limits))
        return f"this session has used {self.spent.words}" + (f"; its budget: {budget}" if budget else "")

    @property
    def note(self) -> str:
        """What a person should know who goes on: how much of a budget is used."""
        return self.words if self.budget != Budget() and self.spent.usage.total else ""

    def _limit(self) -> Limit | None:
        limits = Limits(turns=None, tokens=self.budget.tokens, cost_usd=self.budget.usd)
        return reached(limits, Tally(usage=self.spent.usage, cost_usd=self.spent.usd))

    def _count(self, event: Answered | RoomMade, usage: Usage, by: str) -> None:
        self.spent = self.spent.plus(usage, event.cost_usd)
        if event.agent != self._agent and usage.total:
            self._conversation.note("spent", agent=event.agent, by=by, usage=codec.usage_to_json(usage))


def _budget(limits: Mapping[str, Any]) -> Budget:
    tokens, usd = limits.get("tokens"), limits.get("usd")
    return Budget(
        tokens if isinstance(tokens, int) and tokens > 0 else None,
        float(usd) if isinstance(usd, int | float) and usd > 0 else None,
    )
