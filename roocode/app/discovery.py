"""The further tools of one agent: where they come from, and which of them the model is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

from roocode.engine.loop.agent import Step
from roocode.engine.loop.announcing import Announcing, Source, Standing
from roocode.memory.compaction.size import tokens_of_frame
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import Event, Notice
from roocode.protocol.tools import Tool, ToolSpec
from roocode.security.guard import GuardedToolset

PATIENCE_S: Final = 20.0
"""Seconds that a search waits for servers that are being connected."""
BREAK: Final = "discovery"
"""What the break of the prefix is called that a growing tool list is."""
MOST_WHOLE: Final = 100
"""Tools that are sent without being asked for at most: models choose worse among many."""
LARGEST_WINDOW: Final = 200_000
"""What of a window counts for the share that tools may have: more would be paid for in each request."""
MOST_SHOWN: Final = 5
TAKEN: Final = "another source has a tool of this name"
AMBIGUOUS: Final = "its source has __ in its name, so that rules would read it as a tool of another one"
NOT_SET_UP: Final = "it is not set up now"


def loaded(names: tuple[str, ...]) -> str:
    """A growth of the tool list, for the person."""
    shown = ", ".join(names[:MOST_SHOWN])
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"loaded for the model: {shown}{more} ({BREAK}: the cached prompt begins anew)"


@dataclass(slots=True)
class _Source:
    """A source as it was last heard of; `tools` are names that the guard knows."""

    state: Literal["connecting", "there", "absent"] = "connecting"
    tools: tuple[str, ...] = ()
    why: str = ""
    words: str = ""
    always_load: bool = False
    is_listed: bool = False


class Discovery:
    """Implements the tools' FurtherTools and the loop's Sources for one agent.

    `expected` are the sources that are being connected: until each has arrived or failed, tools are told by
    name. Then all are sent if they are few and take no more than a `share` of the window. `grew` hears of
    each growth of what had been sent before: one a request, however many searches there were. With `inherits`
    the list was another agent's: what came after it is sent only where it is asked for.
    """

    def __init__(
        self,
        conversation: Conversation,
        window: int,
        share: float,
        expected: Iterable[str] = (),
        *,
        inherits: bool = False,
    ) -> None:
        self.grew: Callable[[tuple[str, ...]], None] = lambda names: None
        self._conversation = conversation
        self._allowance = round(share * min(window, LARGEST_WINDOW))
        self._sources = {name: _Source() for name in expected}
        self._inherits = inherits
        self._before = dict(conversation.discovered)
        self._sent = dict[str, str]()
        self._toolset: GuardedToolset | None = None
        self._growth: list[str] = []
        self._is_due = True
        self._has_asked = False
        self._news = asyncio.Event()

    def begun(
        self,
        toolset: GuardedToolset,
        emit: Callable[[Event], None],
        agent: str = "main",
        parent: str | None = None,
    ) -> Step:
        """From here on tools are put behind this guard, and a notice tells of each growth.

        Returns the step of the loop that tells the agent.
        """
        self._toolset = toolset
        toolset.grown = self._grown
        self.grew = lambda names: emit(Notice(agent=agent, parent=parent, text=loaded(names)))
        return Announcing(self._conversation, self)

    @property
    def toolset(self) -> GuardedToolset:
        """The guard, once it is there."""
        assert self._toolset is not None
        return self._toolset

    def expect(self, source: str) -> None:
        """A source is being connected, for the first time or again: what it had is not there meanwhile."""
        known = self._sources.get(source, _Source())
        self._sources[source] = _Source(words=known.words, always_load=known.always_load)
        self._lose(known.tools)

    def arrived(
        self, source: str, tools: Iterable[Tool], *, always_load: bool = False, words: str = ""
    ) -> dict[str, str]:
        """All tools that a source has now; `words` is what it says of itself.

        Returns why some were refused, by name.
        """
        refused, fitting = dict[str, str](), list[Tool]()
        others = {name for other, each in self._sources.items() if other != source for name in each.tools}
        for tool in tools:
            name = tool.spec.name
            if "__" in source and name.startswith("mcp__"):
                refused[name] = AMBIGUOUS
            elif name in others:
                refused[name] = TAKEN
            else:
                fitting.append(tool)
        refused |= self.toolset.take_in(fitting)
        names = tuple(sorted({tool.spec.name for tool in fitting} - refused.keys()))
        known = self._sources.get(source, _Source())
        self._sources[source] = _Source("there", names, "", words, always_load)
        self._lose(set(known.tools) - set(names))
        return refused

    def failed(self, source: str, why: str) -> None:
        """A source could not be connected, or is lost."""
        known = self._sources.get(source, _Source())
        self._sources[source] = _Source("absent", (), why)
        self._lose(known.tools)

    def removed(self, source: str) -> None:
        """A source is not set up any more."""
        known = self._sources.pop(source, _Source())
        self._lose(known.tools)

    def tools(self) -> tuple[ToolSpec, ...]:
        """Those that may be called, sent or not, by name."""
        there = {name for each in self._sources.values() for name in each.tools}
        specs = (*self.toolset.specs, *self.toolset.deferred())
        return tuple(sorted((spec for spec in specs if spec.name in there), key=lambda spec: spec.name))

    def load(self, names: Iterable[str]) -> tuple[str, ...]:
        """Sends them to the model from the next request on; returns those that are new there."""
        there = {spec.name for spec in self.tools()}
        return tuple(spec.name for spec in self.toolset.offer(name for name in names if name in there))

    async def absent(self) -> Mapping[str, str]:
        """Waits a while for sources that are being connected; then those without tools, and why."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while self._waits():
                    self._news.clear()
                    await self._news.wait()
        reasons = {"connecting": "it is still being connected", "absent": "", "there": "it offers none"}
        return {
            name: each.why or reasons[each.state] or "no reason is known"
            for name, each in sorted(self._sources.items())
            if not each.tools
        }

    def settle(self) -> tuple[Source, ...]:
        """Sends the model what is due, as one growth, and says how each source stands."""
        if self._is_due:
            self._is_due = False
            self.toolset.offer(self._due())
            self._note_listed()
        if self._growth:
            names, self._growth = tuple(self._growth), []
            if self._has_asked:
                self.grew(names)
        self._has_asked = True
        return tuple(self._standings())

    def _due(self) -> Iterator[str]:
        """What is sent without being asked for, in an order that is the same in a session that goes on."""
        tools = self.tools()
        there = {spec.name for spec in tools}
        yield from (name for name in self._before if name in there)
        if self._inherits:
            return
        for _, source in sorted(self._sources.items()):
            if source.always_load:
                yield from source.tools
        few = len(tools) <= MOST_WHOLE and tokens_of_frame("", tools) <= self._allowance
        if few and not self._waits():
            for _, source in sorted(self._sources.items()):
                yield from source.tools

    def _note_listed(self) -> None:
        waiting = {spec.name for spec in self.toolset.deferred()}
        for source in self._sources.values():
            source.is_listed = source.state == "there" and waiting.isdisjoint(source.tools)

    def _standings(self) -> Iterator[Source]:
        used: dict[str, list[str]] = {}
        for name, source in {**self._before, **self._sent}.items():
            used.setdefault(source, []).append(name)
        there = {spec.name for spec in self.tools()}
        for name, each in sorted(self._sources.items()):
            callable_ = tuple(tool for tool in each.tools if tool in there)
            standing: Standing = "named"
            if each.state != "there":
                standing, callable_ = each.state, tuple(used.get(name, ()))
            elif each.is_listed or not callable_:
                standing = "listed"
            yield Source(name, standing, callable_, each.why, each.words, name in used)
        for name in sorted(used.keys() - self._sources.keys()):
            yield Source(name, "absent", tuple(used[name]), NOT_SET_UP, in_use=True)

    def _waits(self) -> bool:
        return any(each.state == "connecting" for each in self._sources.values())

    def _lose(self, names: Iterable[str]) -> None:
        self.toolset.let_go(names)
        self._is_due = True
        self._news.set()

    def _grown(self, names: tuple[str, ...]) -> None:
        """Kept at once: what was found stays found, whatever becomes of this process."""
        sources = {name: source for source, each in self._sources.items() for name in each.tools}
        fresh = {name: sources.get(name, "") for name in names}
        self._sent |= fresh
        self._growth += names
        if new := {name: source for name, source in fresh.items() if name not in self._before}:
            self._conversation.note("discovered", tools=new)
            self._conversation.discovered = {**self._conversation.discovered, **new}
