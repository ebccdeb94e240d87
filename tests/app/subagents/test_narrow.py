"""A skill that a sub-agent loads holds it as it would its parent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.subagents.family import Families, agent, asked, ids, typed
from tests.app.test_skills import call, load, put

LOOK = "allowed-tools: ReadFile, SendMessage\n---\nLook only.\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("is_fork", [False, True])
async def test_its_skill_narrows_it_to_its_end(families: Families, is_fork: bool) -> None:
    put(families.home / ".roocode", "look", LOOK)
    starts = agent(name="ann") if is_fork else typed(name="ann", run_in_background=True)
    plays: dict[str, Any] = {
        "main": [{"calls": [starts]}, {"text": "Meanwhile."}, {"text": "All."}],
        "ann": [
            load("look"),
            call("Bash", command="touch evil"),
            call("Bash", command="touch evil"),
            {"text": "Done."},
        ],
    }
    async with families.family(plays) as session:
        await session.say("Go.")
        assert not (families.root / "evil").exists()
        said = asked(session.server, "ann")[-1].raw.decode()
        assert said.count("the skill look may use these tools only: ReadFile") == 2


@pytest.mark.asyncio
async def test_a_further_word_of_its_parent_ends_that(families: Families) -> None:
    put(families.home / ".roocode", "look", LOOK)
    again = {"tool": "SendMessage", "input": {"to": "ann", "message": "Now make it.", "summary": "go on"}}
    plays = {
        "main": [
            {"calls": [typed(name="ann")]},
            {"calls": [again]},
            {"text": "Meanwhile."},
            {"text": "All."},
        ],
        "ann": [
            load("look"),
            call("Bash", command="touch evil"),
            {"text": "Looked."},
            {"when": {"last_contains": "Now make it."}, **call("Bash", command="touch made")},
            {"text": "Made."},
        ],
    }
    async with families.family(plays) as session:
        await session.say("Go.")
        assert len(ids(session)) == 1
        assert not (families.root / "evil").exists()
        assert (families.root / "made").exists()
