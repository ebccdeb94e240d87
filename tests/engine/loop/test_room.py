"""Room in the window, in whole sessions: a real conversation on disk, a scripted model, real tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.loop.limits import Tally
from roocode.interaction.config.sources import Flag
from roocode.memory.compaction.summary import NoSummary
from roocode.memory.sessions.replay import replay
from roocode.protocol.events import Answered, Notice, RoomMade
from roocode.protocol.messages import Block, Message
from roocode.scripted.log import Record
from tests.engine.loop.conftest import ALLOW_ALL, PROTOCOLS, Opener, Session
from tests.memory.compaction.histories import flaws

SUMMARY = {"text": "## Goal\nread the files", "always": True}
DONE = {"text": "done"}
TOO_LONG = {"status": 400, "message": "prompt is too long: 250000 tokens > 200000 maximum"}


BESIDE_THE_WORK = 2_000
"""Tokens of what is sent with every request and no test here is about: tools for sub-agents and tasks."""


def window(tokens: int, **shares: float) -> tuple[Flag, ...]:
    keys = {"window": tokens + BESIDE_THE_WORK, **shares}
    return (ALLOW_ALL, *(Flag(("context", name), value, "--test") for name, value in keys.items()))


def reads(count: int) -> list[Any]:
    """Answers that each read a file."""
    return [{"calls": [{"tool": "ReadFile", "input": {"path": f"f{n}.txt"}}]} for n in range(count)]


def talk(count: int, words: int = 500) -> list[Any]:
    """Long answers without a call."""
    return [{"text": f"{number} " + "long answer " * words} for number in range(count)]


def files(opened: Opener, size: int = 3_000) -> None:
    opened.write(**{f"f{number}": f"{number} " + "words and words " * (size // 16) for number in range(20)})


def asked(session: Session, agent: str) -> list[Record]:
    return [record for record in session.server.log if record.sender.agent == agent]


def unsound(messages: Sequence[Message]) -> list[str]:
    """What is wrong with a conversation that ended with an answer."""
    return flaws(messages[:-1] if messages and messages[-1].role == "assistant" else messages)


def whole(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Neighbours of one role as the one message that is sent."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            joined[-1] = Message(message.role, joined[-1].blocks + message.blocks)
        else:
            joined.append(message)
    return tuple(joined)


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_old_results_go_first_and_the_newest_five_stay(opened: Opener, protocol: str) -> None:
    files(opened)
    async with opened(*reads(18), DONE, protocol=protocol, flags=window(14_000)) as session:
        ended = await session.say("read all")
        made = session.seen(RoomMade)
        contents = [result.content for result in session.results]
        assert ended.text == "done"
        assert {event.kind for event in made} == {"cleared"}
        assert made[0].after < made[0].before
        assert all("words" in content for content in contents[-5:])
        assert contents[0].startswith("[Cleared")
        assert unsound(session.messages) == []
        assert spoken(session.messages) == spoken(replay(session.single.conversation.path).messages)


def spoken(messages: tuple[Message, ...]) -> list[tuple[str, Block]]:
    """Who said what: neighbouring messages of one role are one message when they are sent."""
    return [(message.role, block) for message in messages for block in message.blocks]


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_same_model_summarises_what_it_was_sent_before(opened: Opener, protocol: str) -> None:
    beside = {"main/summary": [SUMMARY]}
    async with opened(*talk(9), protocol=protocol, flags=window(16_000), beside=beside) as session:
        for number in range(9):
            await session.say(f"prompt {number}")
        (made,) = session.seen(RoomMade)
        (summary,) = asked(session, "main/summary")
        earlier = [record for record in asked(session, "main") if record.number < summary.number]
        assert made.kind == "summary"
        assert summary.body["tools"] == earlier[-1].body["tools"]
        assert summary.body["messages"][:3] == earlier[-1].body["messages"][:3]
        assert "read the files" in session.messages[0].text
        assert "prompt 0" in session.messages[0].text
        assert unsound(session.messages) == []
        assert spoken(session.messages) == spoken(replay(session.single.conversation.path).messages)


@pytest.mark.asyncio
async def test_a_warning_comes_once_before_that(opened: Opener) -> None:
    async with opened(*talk(7), flags=window(16_000, clearing=0.02, summary=0.02, full=0.01)) as session:
        for number in range(7):
            await session.say(f"prompt {number}")
        warnings = [notice.text for notice in session.seen(Notice) if "window" in notice.text]
        assert len(warnings) == 1
        assert session.seen(RoomMade) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_provider_that_finds_it_too_long_is_asked_again_with_less(
    opened: Opener, protocol: str
) -> None:
    steps = [*talk(3), {"error": TOO_LONG}, DONE]
    async with opened(*steps, protocol=protocol, beside={"main/summary": [SUMMARY]}) as session:
        for number in range(4):
            ended = await session.say(f"prompt {number}")
        assert (ended.text, ended.exit_code) == ("done", 0)
        assert [event.kind for event in session.seen(RoomMade)] == ["summary"]
        assert "prompt 3" in session.messages[-2].text


@pytest.mark.asyncio
async def test_a_prompt_that_no_window_takes_ends_the_run_with_the_reason(opened: Opener) -> None:
    refusals = [{"error": TOO_LONG} for _ in range(8)]
    async with opened(*refusals, finishes=False) as session:
        ended = await session.say("short")
        assert ended.end == "refused"
        assert "too long" in ended.reason


@pytest.mark.asyncio
async def test_without_a_summary_the_oldest_turns_go(opened: Opener) -> None:
    empty = {"main/summary": [{"text": "", "always": True}]}
    # An answer that was left out before a request has shown it counts as never played.
    async with opened(*talk(9), flags=window(12_800), beside=empty, finishes=False) as session:
        for number in range(9):
            ended = await session.say(f"prompt {number}")
        assert ended.end == "done"
        assert {event.kind for event in session.seen(RoomMade)} == {"dropped"}
        assert "left out" in session.messages[0].text
        assert unsound(session.messages) == []


@pytest.mark.asyncio
async def test_what_a_summary_costs_counts(opened: Opener) -> None:
    summary = [{**SUMMARY, "usage": {"input": 900, "output": 77}}]
    async with opened(*talk(7), flags=window(12_000), beside={"main/summary": summary}) as session:
        usages = [(await session.say(f"prompt {number}")).usage for number in range(7)]
        told = replay(session.single.conversation.path).usage
        assert told.total == sum(usage.total for usage in usages)
        assert any(
            record.step.startswith("main/summary") or record.sender.agent == "main/summary"
            for record in session.server.log
        )


@pytest.mark.asyncio
async def test_a_big_result_lies_on_disk_and_can_be_read_there(opened: Opener) -> None:
    steps = [
        {"calls": [{"tool": "Bash", "input": {"command": "seq 1 200000 | head -c 29000"}}]},
        DONE,
    ]
    async with opened(*steps, flags=window(16_000)) as session:
        await session.say("count")
        (result,) = session.results
        path = result.content.partition("all of it: ")[2].partition(" …]")[0]
        assert len(result.content) < 9_500
        assert path.startswith(str(opened.home))
        assert len(Path(path).read_text()) > 28_000


@pytest.mark.asyncio
async def test_two_thousand_turns_in_a_small_window_never_stop(opened: Opener) -> None:
    files(opened, size=6_000)
    steps: list[Any] = []
    for number in range(2_000):
        path = f"f{number % 20}.txt"
        steps.append(
            {"text": f"{number}", "calls": [{"tool": "ReadFile", "input": {"path": path, "offset": 1}}]}
        )
    flags = (*window(32_000), Flag(("max_turns",), 5_000, "--test"))
    async with opened(*steps, DONE, flags=flags, beside={"main/summary": [SUMMARY]}) as session:
        ended = await session.say("read for ever")
        assert (ended.end, ended.turns) == ("done", 2_001)
        made = session.seen(RoomMade)
        assert len(made) > 20
        assert all(event.after < event.before <= event.window for event in made)
        assert all(len(record.raw) < 32_000 * 6 for record in session.server.log)
        assert len(session.messages) < 2_001 * 2 / 4
        assert unsound(session.messages) == []


@pytest.mark.asyncio
async def test_the_agents_list_survives_a_summary_and_a_resume(opened: Opener) -> None:
    write = {
        "calls": [
            {"tool": "TodoWrite", "input": {"todos": [{"content": "step two", "status": "in_progress"}]}}
        ]
    }
    steps = [write, DONE, *talk(9)]
    async with opened(*steps, flags=window(16_000), beside={"main/summary": [SUMMARY]}) as session:
        for number in range(10):
            await session.say(f"prompt {number}")
        assert session.seen(RoomMade) != []
        assert "[>] step two" in session.messages[0].text
        assert replay(session.single.conversation.path).todos == (
            {"content": "step two", "status": "in_progress"},
        )


@pytest.mark.asyncio
async def test_a_model_that_gives_no_summary_is_asked_once_and_what_it_cost_counts(opened: Opener) -> None:
    none = {"text": "", "usage": {"input": 500, "output": 1}, "always": True}
    flags = window(30_000, summary=0.9, clearing=0.9, warning=0.9, full=0.01)
    async with opened(*talk(6), flags=flags, beside={"main/summary": [none]}) as session:
        ended = [await session.say(f"prompt {number}") for number in range(6)]
        assert len(asked(session, "main/summary")) == 3
        told = [notice.text for notice in session.seen(Notice) if "no summary" in notice.text]
        assert told == [
            "the model gave no summary: an empty answer; it is asked again when the window is full"
        ]
        answers = sum(answered.reply.usage.total for answered in session.seen(Answered))
        assert sum(each.usage.total for each in ended) == answers + 3 * 501


@pytest.mark.asyncio
async def test_a_person_who_asks_for_a_summary_hears_why_there_is_none(opened: Opener) -> None:
    none = {"text": "", "usage": {"input": 500, "output": 1}, "always": True}
    async with opened(*talk(4), beside={"main/summary": [none]}) as session:
        for number in range(4):
            await session.say(f"prompt {number}")
        tally, before = Tally(), session.messages
        assert session.single.agent.room is not None
        with pytest.raises(NoSummary, match="an empty answer"):
            await session.single.agent.room.compact(tally)
        assert tally.usage.total == 3 * 501
        assert session.messages == before
