"""Room in the model's window: a step before each request, and the mend where a provider finds it too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from roocode.engine.loop.agent import Filling, Step
from roocode.engine.loop.limits import Tally
from roocode.memory.compaction.budget import Level, Window
from roocode.memory.compaction.compactor import Compacted, Compactor
from roocode.memory.compaction.lasting import Fact
from roocode.memory.compaction.size import Measure, Totals, size, tokens_of
from roocode.memory.compaction.summary import NoSummary
from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import Event, Notice, RoomMade
from roocode.protocol.messages import Message, Usage

_LEAST_SCALE, _MOST_SCALE = 0.5, 2.0


class Compactable(Protocol):
    """A conversation, as far as making room needs it."""

    @property
    def measured(self) -> tuple[int, Usage] | None:
        """What was counted for the last answer, and how many messages there were with it."""
        ...

    def messages(self) -> tuple[Message, ...]:
        """What is sent."""
        ...

    def compact(self, messages: Iterable[Message], usage: Usage, **facts: object) -> None:
        """Puts a shorter history in the place of all that was."""
        ...


class FactKeeper(Protocol):
    """Keeps what the person said that outlives the session."""

    def keep_said(self, facts: Sequence[Fact]) -> tuple[str, ...]:
        """Makes notes of words that are not known yet and returns their names. Raises RooCodeError."""
        ...


class Room:
    """Keeps room for one agent. `emit` hears of each compaction, and of the first warning before one.

    `retold` tells again what must not be missing from a conversation that became shorter; `keeper` takes what
    a summary found to last. A provider that refuses a conversation for its length teaches what its window
    really is.
    """

    def __init__(
        self,
        conversation: Compactable,
        compactor: Compactor,
        emit: Callable[[Event], None],
        *,
        retold: Step | None = None,
        keeper: FactKeeper | None = None,
        agent: str = "main",
        parent: str | None = None,
    ) -> None:
        self._conversation = conversation
        self._compactor = compactor
        self._emit = emit
        self._retold = retold
        self._keeper = keeper
        self._agent = agent
        self._parent = parent
        self._totals = Totals()
        self._scale = 1.0
        self._sent_frame: int | None = None
        self._warned = False
        self._gave_none = False

    async def __call__(self, tally: Tally) -> bool:
        """Makes room where it is short. Brings no outside input."""
        filling = self.filling()
        level = self._compactor.window.level(filling.used)
        if level in ("free", "warning"):
            self._gave_none = False
        if level == "free":
            self._warned = False
        elif level == "warning":
            self._warn(filling)
        elif not (level == "summary" and self._gave_none):
            await self._make(level, filling, tally)
        self._sent_frame = self._compactor.frame
        return False

    async def _make(self, level: Level, filling: Filling, tally: Tally) -> None:
        """Makes room; a model that gives no summary is asked for one again only when the window is full."""
        messages = self._conversation.messages()
        try:
            made = await self._compactor.make_room(messages, level, scale=self._scale)
        except NoSummary as none:
            self._gave_none = True
            tally.spend(none.spent.usage, none.spent.cost_usd)
            self._tell(f"{none.what}; it is asked again when the window is full")
        else:
            await self._take(made, filling, tally)

    async def compact(self, tally: Tally, focus: str = "") -> bool:
        """Makes a summary now, because the person asks for it; False where there is nothing to summarise.

        Raises NoSummary and ProviderBusy.
        """
        filling = self.filling()
        messages = self._conversation.messages()
        try:
            made = await self._compactor.summarise(messages, scale=self._scale, focus=focus)
        except NoSummary as none:
            tally.spend(none.spent.usage, none.spent.cost_usd)
            raise
        await self._take(made, filling, tally, by_person=True)
        return made is not None

    async def overflowed(self, tally: Tally) -> bool:
        """Makes room after a provider refused the conversation for its length; False where none is left."""
        filling = self.filling()
        window = self._compactor.window
        if filling.used < window.tokens:
            learned = Window(filling.used, min(window.answer, filling.used // 4), window.thresholds)
            self._compactor = replace(self._compactor, window=learned)
        messages = self._conversation.messages()
        made = await self._compactor.make_room(messages, "full", scale=self._scale)
        await self._take(made, filling, tally)
        return made is not None and tokens_of(made.messages) < tokens_of(messages)

    def filling(self) -> Filling:
        """How full the window is now."""
        totals, frame = self._totals(self._conversation.messages()), self._compactor.frame
        counted = frame if self._sent_frame is None else self._sent_frame
        measure = self._measure(totals, counted)
        if measure is not None:
            self._scale = min(max(measure.tokens / measure.estimated, _LEAST_SCALE), _MOST_SCALE)
            used = size(totals, counted, measure) + round((frame - counted) * self._scale)
        else:
            used = round(size(totals, frame, None) * self._scale)
        error = measure.error if measure is not None else None
        return Filling(frame, max(used - frame, 0), self._compactor.window.tokens, error)

    def _measure(self, totals: Sequence[int], frame: int) -> Measure | None:
        """What was counted for the last answer, whose request had a frame of so many tokens."""
        if self._conversation.measured is None:
            return None
        count, usage = self._conversation.measured
        estimated = frame + totals[min(count, len(totals) - 1)]
        return Measure(count, usage.total, max(estimated, 1))

    def _warn(self, filling: Filling) -> None:
        if self._warned:
            return
        self._warned = True
        share = round(100 * (1 - filling.used / filling.window))
        text = f"{share} % of the model's window are left; old turns will be summarised when it is short"
        self._tell(text)

    def _tell(self, text: str) -> None:
        self._emit(Notice(agent=self._agent, parent=self._parent, text=text))

    async def _take(
        self, made: Compacted | None, before: Filling, tally: Tally, *, by_person: bool = False
    ) -> None:
        if made is None:
            return
        left = round(tokens_of(made.messages) * self._scale)
        facts = {"kind": made.kind, "before": before.used, "after": before.frame + left}
        self._conversation.compact(made.messages, made.spent.usage, **facts)
        tally.spend(made.spent.usage, made.spent.cost_usd)
        self._emit(
            RoomMade(
                agent=self._agent,
                parent=self._parent,
                kind=made.kind,
                before=before.used,
                after=before.frame + left,
                window=before.window,
                fault=made.fault,
                usage=made.spent.usage,
                cost_usd=made.spent.cost_usd,
                by_person=by_person,
            )
        )
        if made.facts and self._keeper is not None:
            await self._keep(made.facts, self._keeper)
        if self._retold is not None:
            await self._retold(tally)

    async def _keep(self, facts: Sequence[Fact], keeper: FactKeeper) -> None:
        """A note that cannot be written is said, and changes nothing else."""
        try:
            names = await asyncio.to_thread(keeper.keep_said, facts)
        except RooCodeError as error:
            self._tell(f"what you said could not be remembered: {error}")
            return
        if names:
            self._tell(f"remembered from what you said: {', '.join(names)}; /memory shows and forgets")
