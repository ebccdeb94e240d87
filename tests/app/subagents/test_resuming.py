"""A session that ended while its sub-agents worked: whole logs, and word of what became of them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from roocode.interaction.cli.requests import SessionChoice
from roocode.memory.sessions.checkup import check
from roocode.memory.sessions.conversation import replay
from roocode.scripted.server import serve
from tests.app.headless import address, started, wait_for
from tests.app.subagents.family import Families, ids, typed

GLOB = {"tool": "Glob", "input": {"pattern": "*"}}
SLOW = {"text": "Too late.", "first_token_delay_s": 60, "once": True}


@pytest.mark.asyncio
async def test_a_resumed_session_learns_of_the_one_that_was_cut_off(families: Families) -> None:
    plays = {
        "main": [{"calls": [typed(name="ann", run_in_background=True)]}, {"text": "I go on."}],
        "ann": [{"text": "I look.", "calls": [GLOB]}, SLOW],
    }
    async with families.family(plays, alone=False, finishes=False) as session:
        await session.say("Go.")
        await session.until_asked(4)
        (first,) = ids(session)
    message = {"tool": "SendMessage", "input": {"to": "ann", "summary": "go on", "message": "Go on."}}
    again = {
        "main": [
            {
                "when": {"last_contains": ["<task-notification", 'status="interrupted"', "I look."]},
                "calls": [message],
            },
            {"when": {"result": {"contains": "async_launched"}}, "text": "It goes on."},
            {"when": {"last_contains": ["<task-notification", "Found."]}, "text": "Done."},
        ],
        "ann": [{"when": {"last_contains": "Go on.", "any_contains": "Find it."}, "text": "Found."}],
    }
    async with families.family(again, choice=SessionChoice("last")) as session:
        assert (await session.say("And now?")).text == "Done."
        assert ids(session) == [first]
    async with families.family({"main": [{"text": "Quiet."}]}, choice=SessionChoice("last")) as session:
        await session.say("Hello.")
        letters = [message.letters for message in session.messages if message.letters]
        assert len(letters) == 2, "what was told is not told again"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_in_the_middle_every_log_is_whole(
    project: Path, home: Path, environment: dict[str, str], number: signal.Signals
) -> None:
    plays = {
        "main": [{"calls": [typed(name="ann")]}],
        "ann": [{"text": "I look.", "calls": [GLOB]}, SLOW],
    }
    with serve({"agents": plays}) as server:
        arguments = ("-p", "Go.", "--permission-mode", "bypassPermissions")
        with started(project, environment | address(server), *arguments) as running:
            wait_for(lambda: len(server.log) == 3)
            running.end(number)
    logs = sorted((home / ".roocode" / "projects").rglob("*.jsonl"))
    assert [log.parent.name == "subagents" for log in logs].count(True) == 1
    for log in logs:
        assert all("no result" in fault.what for fault in check(log))
        assert replay(log).messages
