"""A resumed session whose records of tasks and sub-agents are damaged: it goes on, with what can be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.interaction.cli.requests import SessionChoice
from tests.app.subagents.family import Families

BEGAN = {"type": "subagent", "event": "started", "label": "u", "kind": "fork"}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "record",
    [
        {"type": "session_tasks"},
        {"type": "session_tasks", "items": None},
        {"type": "session_tasks", "items": 5},
        {"type": "session_tasks", "items": ["x"]},
        {"type": "session_tasks", "items": [{"id": "1"}, {"odd": 1}]},
        {"type": "subagent"},
        {"type": "subagent", "id": "a123456"},
        {**BEGAN, "id": "a123456", "label": 5, "kind": None, "status": "odd"},
        {**BEGAN, "id": "../../other"},
        {**BEGAN, "id": "a\0b"},
        {"type": "discovered", "tools": [["a"]]},
        {"type": "skill", "name": 5, "allowed": 7},
        {"type": "tools", "digest": [1], "change": "odd"},
    ],
)
async def test_a_session_goes_on_whatever_a_record_holds(families: Families, record: dict[str, Any]) -> None:
    async with families.family({"main": [{"text": "Hello."}]}) as session:
        await session.say("Go.")
        path = session.single.conversation.path
    with path.open("a") as log:
        log.write(json.dumps({"at": "2026-01-01T00:00:00.000Z", **record}) + "\n")
    calls = [
        {"tool": "TaskList", "input": {}},
        {"tool": "TaskCreate", "input": {"subject": "one", "description": "it"}},
    ]
    plays = {"main": [{"calls": calls}, {"always": True, "text": "Done."}]}
    async with families.family(plays, choice=SessionChoice("last"), finishes=False) as session:
        assert (await session.say("On.")).text == "Done."
        assert not any(result.is_error for result in session.results)
        assert "one" in session.results[-1].content
