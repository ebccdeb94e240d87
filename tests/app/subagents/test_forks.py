"""Forks: what they inherit to the byte, what they may not do, and how they report."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.protocol.events import CallDecided
from roocode.scripted.log import Record
from roocode.scripted.prefix import common
from tests.app.subagents.family import Families, agent, ids, typed

GLOB = {"tool": "Glob", "input": {"pattern": "*"}}
EVERY = ("anthropic", "openai", "openai-responses")


def settings_of(record: Record) -> dict[str, Any]:
    """All else that a request says: model, limits, thinking."""
    return {
        name: value
        for name, value in record.body.items()
        if name not in ("messages", "input", "system", "instructions", "tools", "prompt_cache_key")
    }


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY)
async def test_its_first_request_begins_with_all_that_its_parent_last_sent(
    families: Families, protocol: str
) -> None:
    families.write(a="one\n")
    plays = {
        "main": [
            {"text": "Hello."},
            {"calls": [{"tool": "ReadFile", "input": {"path": "a.txt"}}]},
            {"text": "I fork.", "calls": [GLOB, agent(name="ann"), agent(name="bob"), GLOB]},
            {"when": {"result": {"contains": "async_launched"}}, "text": "I go on."},
            {"when": {"last_contains": "<task-notification"}, "text": "First."},
            {"always": True, "when": {"last_contains": "<task-notification"}, "text": "Then."},
        ],
        "ann": [{"text": "A."}],
        "bob": [{"text": "B."}],
    }
    async with families.family(plays, protocol=protocol, finishes=False) as session:
        await session.say("Good day.")
        await session.say("Go.")
        requests = [record for record in session.server.log if record.sender.agent == "main"]
        before = requests[2]
        for name in ("ann", "bob"):
            (first,) = [record for record in session.server.log if record.sender.agent == name]
            inherited, own = before.prompt, first.prompt
            assert common(inherited, own) == len(inherited), "all of the parent's last prompt"
            assert len(own) > len(inherited)
            assert settings_of(first) == settings_of(before)
            said = first.raw.decode()
            assert "You are a fork" in said
            assert "Do not talk to the person" in said


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY)
async def test_what_it_may_not_call_is_refused_and_it_cannot_fork_again(
    families: Families, protocol: str
) -> None:
    own = {"tool": "TaskCreate", "input": {"subject": "x", "description": "y"}}
    plays = {
        "main": [
            {"calls": [agent(name="ann")]},
            {"text": "I wait."},
            {"when": {"last_contains": ["<task-notification", "No luck."]}, "text": "Done."},
        ],
        "ann": [{"calls": [agent(name="bob"), own, GLOB]}, {"text": "No luck."}],
    }
    async with families.family(plays, protocol=protocol) as session:
        assert (await session.say("Go.")).text == "Done."
        decided = [event.decision for event in session.seen(CallDecided) if event.agent == "ann"]
        assert [decision.verdict for decision in decided] == ["deny", "deny", "allow"]
        assert "the sub-agent ann may use these tools only" in decided[0].reason
        assert len(ids(session)) == 1


@pytest.mark.asyncio
async def test_what_its_parent_has_seen_of_files_it_has_seen(families: Families) -> None:
    families.write(a="one\n")

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"tool": "EditFile", "input": {"path": "a.txt", "old_string": old, "new_string": new}}

    plays = {
        "main": [
            {"calls": [{"tool": "ReadFile", "input": {"path": "a.txt"}}]},
            {"calls": [agent(name="ann")]},
            {"text": "I wait."},
            {"when": {"last_contains": "<task-notification"}, "calls": [edit("two", "three")]},
            {"when": {"result": {"error": True}}, "text": "It has changed."},
        ],
        "ann": [{"calls": [edit("one", "two")]}, {"when": {"result": {"error": False}}, "text": "Edited."}],
    }  # fmt: skip
    async with families.family(plays) as session:
        assert (await session.say("Go.")).text == "It has changed."
        assert (families.root / "a.txt").read_text() == "two\n"


@pytest.mark.asyncio
async def test_thinking_stays_as_it_is_for_a_fork_and_is_off_for_others(families: Families) -> None:
    from roocode.interaction.config.sources import Flag
    from tests.engine.loop.conftest import ALLOW_ALL

    flags = (ALLOW_ALL, Flag(("effort",), "high", "--effort"))
    plays = {
        "main": [
            {"calls": [agent(name="ann"), typed(name="bob")]},
            {"text": "I wait."},
            {"always": True, "text": "Done."},
        ],
        "ann": [{"text": "A."}],
        "bob": [{"text": "B."}],
    }
    async with families.family(plays, flags=flags, finishes=False) as session:
        await session.say("Go.")
        thinking = {record.sender.agent: record.body.get("thinking") for record in session.server.log}
        assert thinking["ann"] == thinking["main"] != {"type": "disabled"}
        assert thinking["bob"] in (None, {"type": "disabled"})
