"""Makes room in a conversation: by clearing, by a summary, and in the end by the floor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Literal, TypeAlias

from roocode.memory.compaction import rounds
from roocode.memory.compaction.budget import Level, Window
from roocode.memory.compaction.clearing import cleared
from roocode.memory.compaction.floor import floored, shortened
from roocode.memory.compaction.lasting import Fact
from roocode.memory.compaction.size import tokens_in, tokens_of
from roocode.memory.compaction.summary import NoSummary, Spent, Summarizer, replaced, summarised
from roocode.protocol.errors import ProviderBusy
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message

KEPT_SHARE = 5
"""The newest part of a history that a summary leaves as it is: a fifth at most."""

Kind: TypeAlias = Literal["cleared", "summary", "dropped"]
Trigger: TypeAlias = Literal["auto", "manual"]
Begins: TypeAlias = Callable[[Trigger, int], Awaitable[None]]
"""Hears once of each summary before the model is asked: why it is made, and of how many messages."""


@frozen
class Compacted:
    """A shorter history, how it came about, what the requests that were made for it have cost, and what the
    person had said in it that will last."""

    messages: tuple[Message, ...]
    kind: Kind
    spent: Spent = Spent()
    fault: str = ""
    facts: tuple[Fact, ...] = ()


@frozen
class Compactor:
    """What making room needs: the window, the tokens of system prompt and tools as they are, whom to ask.

    `readers` are the tools whose old results may go; `pinned` gives texts that survive a summary (plan,
    todos, open tasks, loaded skills). With `facts` a summary looks for what the person said that will last.
    `begins` is waited for before one is made.
    """

    window: Window
    framed: Callable[[], int]
    ask: Summarizer
    readers: Collection[str] = ()
    pinned: Callable[[], tuple[str, ...]] = tuple
    facts: bool = False
    begins: Begins | None = None

    @property
    def frame(self) -> int:
        """The tokens of what stands before the messages: it grows with the tool list."""
        return self.framed()

    async def make_room(
        self, messages: tuple[Message, ...], level: Level, *, scale: float = 1.0
    ) -> Compacted | None:
        """A history with room in it, or None where nothing need or can be done.

        `scale` is how many tokens a provider counts for one of the estimate. At level "full" the floor makes
        room where the model does not: only ProviderBusy is raised there. Below it NoSummary is raised, and a
        provider that is busy leaves all as it is.
        """
        if level in ("free", "warning"):
            return None
        lighter = cleared(messages, self.readers)
        if lighter is not None and self._fits(lighter, scale, level):
            return Compacted(lighter, "cleared")
        if level == "clearing":
            return Compacted(lighter, "cleared") if lighter is not None else None
        try:
            made = await self.summarise(messages, scale=scale, trigger="auto")
        except NoSummary as none:
            if level != "full":
                raise
            return self._floor(messages, scale, none)
        except ProviderBusy:
            if level == "full":
                raise
            return None
        return made if made or level != "full" else self._floor(messages, scale)

    async def summarise(
        self,
        messages: tuple[Message, ...],
        *,
        scale: float = 1.0,
        focus: str = "",
        trigger: Trigger = "manual",
    ) -> Compacted | None:
        """A history whose old rounds are one summary; None where it has no old ones.

        The newest rounds stay: at most a quarter of the window, and a fifth of what is there. Raises
        NoSummary and ProviderBusy.
        """
        goal = self._estimated(self.window.goal, scale)
        cut = rounds.newest(messages, min(goal // 2, tokens_of(messages) // KEPT_SHARE))
        old, kept = messages[:cut], messages[cut:]
        if not old:
            return None
        if self.begins is not None:
            await self.begins(trigger, len(old))
        room = self._estimated(self.window.room, scale)
        made = await summarised(old, self.ask, room, focus, facts=self.facts)
        kept = shortened(kept, max(goal - tokens_in(made.text), goal // 2))
        whole = replaced(old, kept, made.text, self.pinned())
        return Compacted(whole, "summary", made.spent, facts=made.facts)

    def _floor(
        self, messages: tuple[Message, ...], scale: float, failure: NoSummary | None = None
    ) -> Compacted:
        shorter = floored(messages, self._estimated(self.window.goal, scale))
        if failure is None:
            return Compacted(shorter, "dropped")
        return Compacted(shorter, "dropped", failure.spent, failure.what)

    def _fits(self, messages: tuple[Message, ...], scale: float, level: Level) -> bool:
        """Whether clearing alone was worth it: far enough from where it would have to be done again."""
        used = round((self.frame + tokens_of(messages)) * scale)
        return level == "clearing" or self.window.level(used) in ("free", "warning")

    def _estimated(self, tokens: int, scale: float) -> int:
        """Of so many tokens, the part that messages may have, in the estimate's own measure."""
        return max(round(tokens / scale) - self.frame, 1)
