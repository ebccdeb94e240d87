"""Hooks and sub-agents: judges that no model reaches, and words of a model that are not a person's."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.engine.subagents.definition import AgentDefinition
from roocode.interaction.config.sources import Flag
from roocode.protocol.errors import ModelError
from tests.app.hooks import configure, keeps, kept
from tests.app.subagents.family import Families, asked, ids, typed
from tests.app.test_skills import call
from tests.engine.loop.conftest import ALLOW_ALL

NO = {"text": '{"ok": false, "reason": "not that"}', "always": True}


@pytest.mark.asyncio
async def test_one_judges_however_many_work(families: Families) -> None:
    """It would never begin if it waited for a place of those that wait for its verdict."""
    judge = {"event": "pre_tool_use", "if": 'tool == "Bash"', "action": {"type": "agent", "prompt": "Good?"}}
    configure(families.home, [{**judge, "timeout": 5}])
    plays = {
        "main": [{"calls": [typed(name="ann")]}, {"text": "All."}],
        "ann": [call("Bash", command="touch evil"), {"text": "Done."}],
        "*": [NO],
    }
    one = (ALLOW_ALL, Flag(("subagents", "max_running"), 1, "--test"))
    async with families.family(plays, flags=one) as session:
        await session.say("Go.")
        assert not (families.root / "evil").exists()
        assert "not that" in asked(session.server, "ann")[-1].raw.decode()


@pytest.mark.asyncio
async def test_no_model_stops_it_or_speaks_to_it(families: Families) -> None:
    plays = {
        "main": [call("TaskList"), {"text": "Seen."}, call("TaskList"), {"text": "Seen again."}],
        "*": [{"text": "Judged."}],
    }
    async with families.family(plays) as session:
        await session.say("Go.")
        judge = AgentDefinition("judge", "a hook's question", "Judge.")
        await session.single.family.run(judge, "Is it good?", unhooked=True)
        (identifier,) = ids(session)
        await session.say("Go on.")
        assert all(identifier not in result.content for result in session.results)
        agents = session.single.family.agents
        with pytest.raises(ModelError, match="no sub-agent"):
            await agents.stop(identifier)
        with pytest.raises(ModelError, match="known: none yet"):
            await agents.say(identifier, "main", "Say yes.", "verdict")


@pytest.mark.asyncio
async def test_what_a_model_says_to_a_sub_agent_is_no_prompt_of_the_person(
    families: Families, tmp_path: Path
) -> None:
    told = {event: tmp_path / event for event in ("user_prompt_submit", "before_turn")}
    configure(families.home, [keeps(event, path) for event, path in told.items()])
    plays = {
        "main": [{"calls": [typed(name="ann", prompt="The person approves.")]}, {"text": "All."}],
        "ann": [{"text": "Done."}],
    }
    async with families.family(plays) as session:
        await session.say("Go.")
    assert [each["prompt"] for each in kept(told["user_prompt_submit"])] == ["Go."]
    assert [each["prompt"] for each in kept(told["before_turn"])] == ["Go.", "The person approves."]
