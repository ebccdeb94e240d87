"""Hooks in a session with a person at the screen: their words, their answers, their compactions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roocode.app.context import compact_now
from roocode.interaction.config.sources import Flag
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import Notice, PermissionAsked, PromptAdded, RunEnded
from roocode.security.sandbox.process import until
from tests.app.hooks import CALL, command, configure, keeps, kept
from tests.engine.loop.conftest import ALLOW_ALL, Opener

ASKS = Flag(("permissions", "mode"), "default", "--permission-mode")
SUMMARY = {"text": "## Goal\nread the files", "always": True}


def window(tokens: int) -> tuple[Flag, ...]:
    return (ALLOW_ALL, Flag(("context", "window"), tokens, "--test"))


@pytest.mark.asyncio
async def test_compactions_are_told_before_and_after(opened: Opener, tmp_path: Path) -> None:
    log = tmp_path / "told"
    configure(opened.home, [keeps("before_compaction", log), keeps("after_compaction", log)])
    talk = [{"text": f"{number} " + "long answer " * 500} for number in range(14)]
    beside = {"main/summary": [SUMMARY]}
    async with opened(*talk, flags=window(18_000), beside=beside, finishes=False) as session:
        for number in range(14):
            await session.say(f"prompt {number}")

    told = kept(log)
    assert [each["event"] for each in told][:2] == ["before_compaction", "after_compaction"]
    assert told[1]["kind"] == "summary"
    assert told[1]["before"] > told[1]["after"] > 0
    assert (told[1]["hook_event_name"], told[1]["trigger"]) == ("PostCompact", "auto")


@pytest.mark.asyncio
async def test_a_summary_in_pieces_that_the_person_asks_for_is_told_once(
    opened: Opener, tmp_path: Path
) -> None:
    log = tmp_path / "told"
    configure(opened.home, [keeps("before_compaction", log), keeps("after_compaction", log)])
    talk = [{"text": f"{number} " + "long answer " * 500} for number in range(4)]
    broken = {"error": 400, "repeat": 1}
    async with opened(*talk, beside={"main/summary": [broken, SUMMARY]}, finishes=False) as session:
        for number in range(4):
            await session.say(f"prompt {number}")
        await compact_now(session.single.agent, "", lambda _event: None)

    told = [(each["event"], each["trigger"]) for each in kept(log)]
    assert told == [("before_compaction", "manual"), ("after_compaction", "manual")]


@pytest.mark.asyncio
async def test_a_prompt_during_a_run_is_submitted_to_the_hooks_too(opened: Opener) -> None:
    block = {"type": "block", "message": "not that"}
    configure(opened.home, [{"event": "user_prompt_submit", "if": 'prompt =~ "forbidden"', "action": block}])
    slow = {"calls": [{"tool": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.01; done"}}]}
    async with opened(slow, {"text": "done"}) as session:
        running = session.start("first")
        await session.until_asked(1)
        session.single.steering.say(session.single.prompt("a forbidden word"))
        session.single.steering.say(session.single.prompt("a good word"))
        (session.root / "go").touch()
        await running

        spoken = [event.message.spoken for event in session.seen(PromptAdded)]
        assert spoken == ["first", "a good word"]
        assert [event.text for event in session.seen(Notice)] == ["the prompt was blocked: not that"]


@pytest.mark.asyncio
async def test_a_hook_says_no_to_an_open_question_and_never_yes(opened: Opener, tmp_path: Path) -> None:
    def decides(behavior: str) -> dict[str, Any]:
        answer = {"hookSpecificOutput": {"decision": {"behavior": behavior, "message": "not while I sleep"}}}
        return command("permission_asked", f"echo '{json.dumps(answer)}'; touch {tmp_path}/{behavior}")

    for behavior in ("deny", "allow"):
        configure(opened.home, [decides(behavior)])
        async with opened({"calls": [CALL]}, {"text": f"done {behavior}"}, flags=(ASKS,)) as session:
            running = session.start("go")
            await session.until(lambda: bool(session.seen(PermissionAsked)))
            if behavior == "allow":
                assert await until((tmp_path / behavior).exists, 20)
                [asked] = session.seen(PermissionAsked)
                assert session.approver.answer(asked.question.id, PermissionAnswer(False))
            await running
            [result] = session.results
            assert result.is_error
            assert ("not while I sleep" in result.content) is (behavior == "deny")
        assert (tmp_path / behavior).exists()
    assert not (opened.root / "ran.txt").exists()


@pytest.mark.asyncio
async def test_each_prompt_has_its_own_two_refusals_of_an_answer(opened: Opener) -> None:
    configure(opened.home, [{"event": "stop", "action": {"type": "block_final", "message": "more"}}])
    async with opened(*({"text": str(number)} for number in range(6))) as session:
        first, second = await session.say("one"), await session.say("two")

    assert (first.text, second.text) == ("2", "5")


@pytest.mark.asyncio
async def test_a_blocked_prompt_leaves_the_session_usable(opened: Opener) -> None:
    hook = {"event": "user_prompt_submit", "if": 'prompt == "bad"', "action": {"type": "block"}}
    configure(opened.home, [hook])
    async with opened({"text": "fine"}) as session:
        blocked = await session.say("bad")
        assert (blocked.end, blocked.exit_code) == ("refused", 42)
        assert session.messages == ()
        good = await session.say("good")
        assert isinstance(good, RunEnded)
        assert good.text == "fine"


@pytest.mark.asyncio
async def test_a_sub_agents_hooks_are_those_of_its_parent_under_its_own_name(
    opened: Opener, tmp_path: Path
) -> None:
    """What starting sub-agents builds on: the same hooks, `once` shared, its own id and type."""
    log = tmp_path / "told"
    block = {"event": "subagent_stop", "action": {"type": "block_final", "message": "look again"}}
    hooks = [keeps("subagent_stop", log), keeps("subagent_start", log, once=True), keeps("stop", log)]
    configure(opened.home, [*hooks, block])
    async with opened({"text": "done"}) as session:
        await session.say("go")
        single = session.single
        assert single.hooking is not None
        workspace = replace(single.hands.workspace, agent="a1")
        child = single.hooking.of_agent(
            workspace, "Explore", single.conversation, lambda: single.agent.tools.policy
        )
        await child.hooks.hear("subagent_start", prompt="look")
        await single.hooking.hooks.hear("subagent_start", prompt="look again")
        answers = [await child.life.ends("seen") for _ in range(3)]

    assert [answer and answer.text.count("look again") for answer in answers] == [1, 1, None]
    assert [(each["event"], each.get("agent_id"), each["agent_type"]) for each in kept(log)] == [
        ("stop", None, ""),
        ("subagent_start", "a1", "Explore"),
        *[("subagent_stop", "a1", "Explore")] * 3,
    ]
