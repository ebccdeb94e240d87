"""A person's hooks and sub-agents: each agent's own are fired once, under its own name."""

from __future__ import annotations

import asyncio

import pytest

from roocode.engine.loop.lifecycle import Halted
from roocode.interaction.config.sources import Flag
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import PermissionAsked
from tests.app.hooks import configure, keeps, kept
from tests.app.subagents.family import Families, agent, asked, typed
from tests.app.subagents.test_chat import talking

TOUCH = {"tool": "Bash", "input": {"command": "touch ran.txt"}}


@pytest.mark.asyncio
async def test_each_request_and_run_is_told_once_and_by_whom(families: Families) -> None:
    at = families.home / "kept.jsonl"
    events = ("before_model", "after_model", "before_turn", "after_turn", "user_prompt_submit")
    configure(families.home, [keeps(event, at) for event in events])
    plays = {
        "main": [
            {"calls": [typed(name="ann"), agent(name="bob")]},
            {"text": "I wait."},
            {"always": True, "text": "Done."},
        ],
        "ann": [{"text": "A."}],
        "bob": [{"text": "B."}],
    }
    async with families.family(plays, finishes=False) as session:
        await session.say("Go.")
        requests = {name: len(asked(session.server, name)) for name in ("main", "ann", "bob")}

    def told(event: str) -> list[str]:
        return sorted(each["agent"] for each in kept(at) if each["event"] == event)

    every = sorted(name for name, count in requests.items() for _ in range(count))
    assert told("before_model") == told("after_model") == every
    assert told("before_turn") == ["ann", "main"], "a fork goes on where its parent was"
    assert told("after_turn") == ["ann", "bob", "main"]
    assert told("user_prompt_submit") == ["main"], "the others are told nothing by the person"


@pytest.mark.asyncio
async def test_its_questions_and_denials_are_told_once_as_its_own(families: Families) -> None:
    at = families.home / "kept.jsonl"
    events = ("permission_asked", "permission_denied", "notification")
    configure(families.home, [keeps(event, at) for event in events])
    plays = {
        "main": [{"calls": [typed(name="ann")]}, {"text": "Done."}],
        "ann": [{"calls": [TOUCH]}, {"text": "It was refused."}],
    }
    asks = (Flag(("mode",), "default", "--mode"),)
    async with talking(families, plays, flags=asks) as (session, person):
        await session.until(lambda: bool(session.seen(PermissionAsked)))
        (question,) = session.seen(PermissionAsked)
        person.give(AnswerPermission(question.question.id, PermissionAnswer(False)))
        async with asyncio.timeout(20):
            while True:
                if len(kept(at)) >= 3 and not session.server.unplayed():
                    break
                await asyncio.sleep(0.01)
    told = [(each["event"], each["agent"]) for each in kept(at) if each.get("kind") != "notice"]
    assert sorted(told) == [
        ("notification", "main"),
        ("permission_asked", "ann"),
        ("permission_denied", "ann"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("blocks", [True, False])
async def test_a_hook_is_asked_of_what_the_person_calls_before_an_agent_works_on_it(
    families: Families, blocks: bool
) -> None:
    at = families.home / "kept.jsonl"
    block = {"event": "user_prompt_submit", "action": {"type": "block", "message": "not today"}}
    noted = [keeps("user_prompt_submit", at), keeps("subagent_start", at)]
    configure(families.home, [*noted, *([block] if blocks else [])])
    folder = families.home / ".roocode" / "skills" / "look"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: look\ndescription: Looks.\ncontext: fork\n---\nLook.\n")
    plays = {"main": [{"text": "Done."}], "a??????": [{"text": "Seen."}]}
    async with families.family(plays, finishes=False) as session:
        if blocks:
            with pytest.raises(Halted, match="not today"):
                await session.single.invoke("look", "here")
            assert not session.server.log
        else:
            ended = await session.single.invoke("look", "here")
            assert ended is not None
            assert ended.text == "Done."
    told = [each["event"] for each in kept(at)]
    assert told == ["user_prompt_submit"] if blocks else ["user_prompt_submit", "subagent_start"]
