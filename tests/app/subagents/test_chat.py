"""Sub-agents in a chat: Esc, reports that come while nothing runs, what undo takes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from roocode.app.talk import Talk
from roocode.interaction.config.sources import Flag
from roocode.protocol.commands import AnswerPermission, CancelRun, Leave, SubmitPrompt
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import PermissionAsked, RunEnded
from tests.app.subagents.family import Families, states, typed
from tests.app.test_talk import Person, until_told
from tests.engine.loop.conftest import Session

GLOB = {"tool": "Glob", "input": {"pattern": "*"}}
SLOW = {"text": "Too late.", "first_token_delay_s": 60, "once": True}


@asynccontextmanager
async def talking(
    families: Families, plays: dict[str, Any], first: str = "Go.", **options: Any
) -> AsyncIterator[tuple[Session, Person]]:
    async with families.family(plays, alone=False, **options) as session, asyncio.TaskGroup() as tasks:
        person = Person()
        talk = Talk(session.single, person, session.approver, tasks)
        going_on = tasks.create_task(talk.go_on(first))
        yield session, person
        person.give(Leave())
        await going_on


def ends(session: Session, name: str = "main") -> list[str]:
    return [event.end for event in session.seen(RunEnded) if event.agent == name]


@pytest.mark.asyncio
async def test_a_report_that_comes_while_nothing_runs_begins_a_run(families: Families) -> None:
    plays = {
        "main": [
            {"calls": [typed(name="ann", run_in_background=True)]},
            {"text": "I go on."},
            {"when": {"last_contains": ["<task-notification", "Here."]}, "text": "It is done."},
        ],
        "ann": [{"text": "Here.", "first_token_delay_s": 1}],
    }
    async with talking(families, plays) as (session, _):
        await session.until(lambda: len(ends(session)) == 2)
        assert session.seen(RunEnded)[-1].text == "It is done."
        assert session.single.undo.turns.all[2].words == "(what sub-agents report)"


@pytest.mark.asyncio
async def test_the_first_esc_sends_it_to_the_background_and_the_next_stops(families: Families) -> None:
    plays = {
        "main": [{"calls": [typed(name="ann")]}, {**SLOW, "when": {"last_contains": "async_launched"}}],
        "ann": [SLOW],
    }
    async with talking(families, plays, finishes=False) as (session, person):
        await session.until_asked(2)
        person.give(CancelRun())
        await session.until_asked(3)
        assert states(session, "ann")[-1] == "background"
        assert ends(session) == []
        person.give(CancelRun())
        await session.until(lambda: ends(session) == ["cancelled"])
        assert states(session, "ann")[-1] == "background", "it works on"
        person.give(CancelRun())
        await session.until(lambda: states(session, "ann")[-1] == "stopped")


@pytest.mark.asyncio
async def test_leaving_stops_all_and_leaves_whole_logs(families: Families) -> None:
    plays = {
        "main": [{"calls": [typed(name="ann", run_in_background=True)]}, {"text": "I go on."}],
        "ann": [SLOW],
    }
    async with talking(families, plays, finishes=False) as (session, _):
        await session.until(lambda: ends(session) == ["done"])
        await session.until_asked(3)
    assert ends(session, "ann") == ["cancelled"]


@pytest.mark.asyncio
async def test_a_question_of_one_in_the_background_comes_with_its_name(families: Families) -> None:
    bash = {"tool": "Bash", "input": {"command": "touch made"}}
    plays = {
        "main": [
            {"calls": [typed(name="ann", run_in_background=True)]},
            {"text": "I go on."},
            {"when": {"last_contains": "<task-notification"}, "text": "Done."},
        ],
        "ann": [{"calls": [bash]}, {"text": "Made."}],
    }
    mode = (Flag(("permissions", "mode"), "default", "--permission-mode"),)
    async with talking(families, plays, flags=mode) as (session, person):
        await session.until(lambda: session.seen(PermissionAsked) != [])
        (asked,) = session.seen(PermissionAsked)
        assert (asked.agent, asked.question.agent) == ("ann", "ann")
        person.give(AnswerPermission(asked.question.id, PermissionAnswer(True, "once")))
        await session.until(lambda: len(ends(session)) == 2)
        assert (families.root / "made").exists()


@pytest.mark.asyncio
async def test_what_one_in_the_background_changes_belongs_to_the_turn(families: Families) -> None:
    families.write(a="one\n")
    write = {"tool": "WriteFile", "input": {"path": "new.txt", "content": "x\n"}}
    plays = {
        "main": [
            {"calls": [typed(name="ann", run_in_background=True)]},
            {"text": "I go on."},
            {"when": {"last_contains": "<task-notification"}, "text": "Done."},
        ],
        "ann": [{"calls": [write], "first_token_delay_s": 0.5}, {"text": "Written."}],
    }
    async with talking(families, plays) as (session, person):
        await session.until(lambda: len(ends(session)) == 2)
        assert (families.root / "new.txt").exists()
        await session.until(lambda: not session.single.undo.busy)
        person.give(SubmitPrompt("/rewind 1"))
        await until_told(person, 1)
        assert not (families.root / "new.txt").exists()
