"""How an agent is put away: once and to the end, whoever ends it and how often."""

from __future__ import annotations

import asyncio

import pytest

from roocode.engine.subagents.agents import SubAgents, Terms
from roocode.engine.subagents.arrivals import Arrivals
from roocode.engine.subagents.outcome import Profile
from roocode.engine.subagents.ports import Child, Order
from roocode.protocol.events import Event, RunEnded
from roocode.protocol.messages import Message, Usage


class Working:
    """A child that works until `done`, and is put away once `may_close`."""

    def __init__(self) -> None:
        self.done, self.closing, self.may_close = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.closed = 0

    async def run(self) -> RunEnded:
        await self.done.wait()
        return RunEnded(
            end="done", text="Found.", turns=1, usage=Usage(), cost_usd=0.0, duration_ms=0, api_ms=0
        )

    def say(self, message: Message) -> None: ...

    def hold_to_background(self) -> None: ...

    async def close(self) -> str:
        self.closing.set()
        await self.may_close.wait()
        self.closed += 1
        return ""


class Log:
    """Builder, diary and conversation of a parent."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.noted: list[object] = []

    async def begin(self, profile: Profile, order: Order) -> Child:
        return self.child

    async def again(self, profile: Profile, order: Order, message: Message) -> Child:
        return self.child

    def last_words(self, profile: Profile) -> str:
        return ""

    def note(self, kind: str, /, **fields: object) -> None:
        self.noted.append(fields["event"])

    def add_prompt(self, message: Message) -> None: ...


def family(child: Child) -> tuple[SubAgents, Log]:
    log = Log(child)
    heard: list[Event] = []
    return SubAgents("main", log, Arrivals(log), log, heard.append, Terms()), log


ORDER = Order("Find it.", "find it", None, in_background=True)


@pytest.mark.asyncio
@pytest.mark.parametrize("status", ["stopped", "completed"])
async def test_ended_again_while_it_is_put_away_it_is_put_away_once(status: str) -> None:
    child = Working()
    agents, log = family(child)
    worker = await agents.start(ORDER)
    await asyncio.sleep(0)
    ending = [asyncio.create_task(agents.stop_all())] if status == "stopped" else []
    if status == "completed":
        child.done.set()
    await child.closing.wait()
    ending += [asyncio.create_task(agents.stop_all()), asyncio.create_task(agents.close())]
    await asyncio.sleep(0)
    child.may_close.set()
    await asyncio.gather(*ending)
    assert child.closed == 1
    assert worker.outcome is not None
    assert worker.outcome.status == status
    assert log.noted == ["started", "ended"]


@pytest.mark.asyncio
async def test_ended_before_it_began_it_is_put_away_once() -> None:
    child = Working()
    child.may_close.set()
    agents, log = family(child)
    worker = await agents.start(ORDER)
    await asyncio.gather(agents.stop_all(), agents.close())
    assert child.closed == 1
    assert worker.outcome is not None
    assert log.noted == ["started", "ended"]
