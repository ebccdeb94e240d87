"""The person's commands and what becomes of them, with a real session and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from roocode.app.talk import Talk
from roocode.interaction.ui.terminal.choices import Choice
from roocode.memory.notes.note import Note
from roocode.protocol.commands import CancelRun, Command, Leave, SetMode, SubmitPrompt
from roocode.protocol.decisions import Mode
from roocode.protocol.events import Event, Notice, PromptAdded, RoomMade, RunEnded
from tests.engine.loop.conftest import Opener, Session

SLOW = {"text": "Too late.", "first_token_delay_s": 60, "once": True}


class Person:
    """A screen that a test speaks through."""

    def __init__(self) -> None:
        self.mode: Mode = "default"
        self.events: list[Event] = []
        self.shown = asyncio.Event()
        self._commands: asyncio.Queue[Command] = asyncio.Queue()

    def give(self, *commands: Command) -> None:
        for command in commands:
            self._commands.put_nowait(command)

    def show(self, event: Event) -> None:
        self.events.append(event)
        self.shown.set()

    def show_mode(self, mode: Mode) -> None:
        self.mode = mode

    async def choose(self, choice: Choice) -> str | None:
        return None

    async def commands(self) -> AsyncIterator[Command]:
        while True:
            command = await self._commands.get()
            yield command
            if isinstance(command, Leave):
                return

    async def run(self) -> None: ...

    def close(self) -> None: ...


@asynccontextmanager
async def talking(
    base: Path, *steps: Any, first: str = "", beside: dict[str, Any] | None = None
) -> AsyncIterator[tuple[Session, Person]]:
    """A talk that goes on; the person leaves at the end."""
    async with Opener(base)(*steps, beside=beside) as session, asyncio.TaskGroup() as tasks:
        person = Person()
        talk = Talk(session.single, person, session.approver, tasks)
        going_on = tasks.create_task(talk.go_on(first))
        yield session, person
        person.give(Leave())
        await going_on


def spoken(session: Session) -> list[str]:
    return [event.message.spoken for event in session.seen(PromptAdded)]


def ends(session: Session) -> list[str]:
    return [event.end for event in session.seen(RunEnded)]


@pytest.mark.asyncio
async def test_words_that_waited_begin_the_next_run_when_this_one_is_cancelled(tmp_path: Path) -> None:
    async with talking(tmp_path, SLOW, {"text": "Here."}, first="First.") as (session, person):
        await session.until_asked(1)
        person.give(SubmitPrompt("Second."), CancelRun(), CancelRun())
        await session.until(lambda: ends(session) == ["cancelled", "done"])
    assert spoken(session) == ["First.", "Second."]


@pytest.mark.asyncio
async def test_leaving_cancels_and_forgets_what_waited(tmp_path: Path) -> None:
    async with talking(tmp_path, SLOW, first="First.") as (session, person):
        await session.until_asked(1)
        person.give(SubmitPrompt("Second."))
    assert ends(session) == ["cancelled"]
    assert spoken(session) == ["First."]


@pytest.mark.asyncio
async def test_a_cancel_with_nothing_to_cancel_is_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path, {"text": "Here."}) as (session, person):
        person.give(CancelRun(), SubmitPrompt("First."))
        await session.until(lambda: ends(session) == ["done"])
    assert spoken(session) == ["First."]


@pytest.mark.asyncio
async def test_a_mode_holds_from_now_on_and_the_model_is_told(tmp_path: Path) -> None:
    steps = ({"when": {"last_contains": "Permission mode: plan."}, "text": "I plan."},)
    async with talking(tmp_path, *steps) as (session, person):
        person.give(SetMode("plan"), SubmitPrompt("Go."))
        await session.until(lambda: ends(session) == ["done"])
        assert session.single.agent.tools.policy.mode == "plan"
    assert person.mode == "plan"


def notices(person: Person) -> list[str]:
    return [event.text for event in person.events if isinstance(event, Notice)]


async def until_told(person: Person, times: int) -> list[str]:
    """Waits until the person was told so often."""
    async with asyncio.timeout(20):
        while len(notices(person)) < times:
            person.shown.clear()
            await person.shown.wait()
    return notices(person)


@pytest.mark.asyncio
async def test_slash_commands_are_no_words_for_the_model(tmp_path: Path):
    async with talking(tmp_path) as (session, person):
        person.give(SubmitPrompt("/context"), SubmitPrompt("/nonsense"), SubmitPrompt("/compact"))
        context, unknown, nothing = await until_told(person, 3)
        assert "system prompt and tools" in context
        assert "all of it estimated" in context
        assert "breaks of the cached prefix: none" in context
        assert "There is no command /nonsense." in unknown
        assert "nothing to summarise" in nothing
        assert session.messages == ()
        assert session.server.log == []


@pytest.mark.asyncio
@pytest.mark.parametrize(("counted", "way"), [(50, "high"), (1_000_000, "low")])
async def test_the_error_of_the_estimate_is_shown(tmp_path: Path, counted: int, way: str):
    step = {"text": "Yes.", "usage": {"input": counted, "output": 0}}
    async with talking(tmp_path, step) as (session, person):
        await session.say("Go.")
        person.give(SubmitPrompt("/context"))
        (context,) = await until_told(person, 1)
        assert session.single.agent.room is not None
        error = session.single.agent.room.filling().error
        assert error is not None
        assert f"the estimate was {round(100 * abs(error))} % too {way}" in context


@pytest.mark.asyncio
async def test_a_person_makes_room_and_says_what_counts(tmp_path: Path):
    summary = {"main/summary": [{"text": "## Goal\nports"}]}
    steps = [{"text": f"answer {number} " + "x " * 30_000} for number in range(3)]
    async with talking(tmp_path, *steps, beside=summary) as (session, person):
        for number in range(3):
            person.give(SubmitPrompt(f"prompt {number}"))
            await session.until(lambda: len(ends(session)) > number)  # noqa: B023
        person.give(SubmitPrompt("/compact the table of ports"))
        await session.until(lambda: session.seen(RoomMade) != [])
        (made,) = session.seen(RoomMade)
        assert made.by_person
        assert made.after < made.before
        assert "keep above all: the table of ports" in session.server.log[-1].raw.decode()
        assert "ports" in session.messages[0].text


@pytest.mark.asyncio
async def test_a_person_looks_at_notes_and_forgets_one(tmp_path: Path):
    async with talking(tmp_path) as (session, person):
        session.single.remembered.write(Note("ci", "project", "CI has two cores."))
        lines = ("/memory", "/memory forget ci", "/memory", "/memory forget ci")
        person.give(*(SubmitPrompt(line) for line in lines))
        shown, forgotten, empty, missing = await until_told(person, 4)
        assert "CI has two cores." in shown
        assert forgotten.startswith("Forgotten: ")
        assert empty == "Nothing is remembered yet."
        assert "there is no note 'ci'" in missing
