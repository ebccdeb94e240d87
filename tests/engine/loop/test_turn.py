"""The loop, over real sockets: what ends it, and that a history is whole however it ends."""

import asyncio
import json
import os
from typing import Any

import pytest

from roocode.engine.loop.turn import BROKEN, CANCELLED
from roocode.interaction.config.sources import Flag
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallBegan,
    CallDecided,
    CallFinished,
    PromptAdded,
    RequestRetried,
    RequestStarted,
    RunEnded,
)
from roocode.protocol.messages import Message, Reply, Text, ToolCall
from tests.engine.loop.conftest import ALLOW_ALL, PROTOCOLS, Opener
from tests.processes import outer_pid

READ_A = {"tool": "ReadFile", "input": {"path": "a.txt"}}


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_it_ends_when_the_model_calls_no_tool(opened: Opener, protocol: str):
    async with opened({"text": "Hello."}, protocol=protocol) as session:
        ended = await session.say("Hi.")
    assert (ended.end, ended.text, ended.turns, ended.exit_code, ended.reason) == ("done", "Hello.", 1, 0, "")
    assert ended.usage.input_tokens > 0
    assert [message.role for message in session.messages] == ["user", "assistant"]
    assert session.messages[0].spoken == "Hi."


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_results_go_to_the_next_request_and_every_event_names_its_agent(opened: Opener, protocol: str):
    opened.write(a="what it says\n")
    steps = (
        {"text": "I look.", "calls": [READ_A]},
        {"when": {"last_contains": "what it says"}, "text": "I saw it."},
    )
    async with opened(*steps, protocol=protocol) as session:
        ended = await session.say("Look.")
    assert (ended.end, ended.text, ended.turns) == ("done", "I saw it.", 2)
    order = [PromptAdded, RequestStarted, Answered, CallBegan, CallDecided, CallFinished, RequestStarted]
    kinds = [type(event) for event in session.events if not isinstance(event, AnswerDelta)]
    assert kinds[1:] == [*order, Answered, RunEnded]
    assert {event.agent for event in session.events} == {"main"}
    assert [event.turn for event in session.seen(RequestStarted)] == [1, 2]
    assert "".join(event.text for event in session.seen(AnswerDelta)) == "I look.I saw it."


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_at_the_turn_limit_it_asks_for_a_hand_over_with_the_same_tools(opened: Opener, protocol: str):
    opened.write(a="a\n")
    steps = (
        {"calls": [READ_A]},
        {"calls": [READ_A]},
        {"when": {"tool_choice": "none", "last_contains": "Hand over"}, "text": "Two things are left."},
    )
    limit = Flag(("max_turns",), 2, "--max-turns")
    async with opened(*steps, protocol=protocol, flags=(ALLOW_ALL, limit)) as session:
        ended = await session.say("Do it all.")
    assert (ended.end, ended.text, ended.exit_code) == ("turn_limit", "Two things are left.", 53)
    assert ended.reason == "the limit of 2 turns is reached"
    assert session.request(2)["tools"] == session.request(1)["tools"]


@pytest.mark.asyncio
async def test_a_call_in_the_hand_over_is_not_run(opened: Opener):
    call = {"type": "tool_use", "id": "t", "name": "WriteFile", "input": {"path": "x", "content": "x"}}
    raw = _raw_answer(call)
    opened.write(a="a\n")
    limit = Flag(("max_turns",), 1, "--max-turns")
    async with opened({"calls": [READ_A]}, {"raw_sse": raw}, flags=(ALLOW_ALL, limit)) as session:
        ended = await session.say("Go.")
    assert ended.end == "turn_limit"
    assert session.results[-1].is_error
    assert not (opened.root / "x").exists()


@pytest.mark.asyncio
async def test_a_budget_of_tokens_ends_it(opened: Opener):
    opened.write(a="a\n")
    steps = ({"calls": [READ_A], "usage": {"input": 900, "output": 100}}, {"text": "Stopped here."})
    async with opened(*steps, max_budget_tokens=1000) as session:
        ended = await session.say("Go.")
    assert (ended.end, ended.exit_code, ended.text) == ("budget", 53, "Stopped here.")


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_refusal_of_the_provider_ends_it_and_the_session_goes_on(opened: Opener, protocol: str):
    steps = ({"error": {"status": 401, "message": "bad key"}}, {"text": "Now."})
    async with opened(*steps, protocol=protocol) as session:
        refused = await session.say("One.")
        again = await session.say("Two.")
    assert (refused.end, refused.exit_code) == ("refused", 42)
    assert "bad key" in refused.reason
    assert again.end == "done"


@pytest.mark.asyncio
async def test_a_provider_that_stays_overloaded_is_worth_trying_later(opened: Opener):
    busy = {"error": {"status": 529, "retry_after": 0}, "repeat": 5}
    async with opened(busy) as session:
        ended = await session.say("Go.")
    assert (ended.end, ended.exit_code) == ("failed", 75)
    assert [event.attempt for event in session.seen(RequestRetried)] == [1, 2, 3, 4]


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_what_a_cut_stream_said_is_void_and_no_tool_runs_twice(opened: Opener, protocol: str):
    opened.write(a="a\n")
    steps = (
        {"text": "Half an ans", "calls": [READ_A], "cut_after": 3, "cut": "drop"},
        {"text": "Whole.", "calls": [READ_A]},
        {"text": "End."},
    )
    async with opened(*steps, protocol=protocol) as session:
        ended = await session.say("Go.")
    assert ended.end == "done"
    assert len(session.seen(RequestRetried)) == 1
    assert session.outcomes == [("ReadFile", False)]
    assert [m.text for m in session.messages if m.role == "assistant"] == ["Whole.", "End."]


@pytest.mark.asyncio
@pytest.mark.parametrize(("stop", "words"), [("max_tokens", "output limit"), ("refusal", "refused")])
async def test_an_answer_that_is_none_says_so(opened: Opener, stop: str, words: str):
    async with opened({"text": "As far as", "stop": stop}) as session:
        ended = await session.say("Go.")
    assert (ended.end, ended.text, ended.exit_code) == ("done", "As far as", 1)
    assert words in ended.reason


@pytest.mark.asyncio
async def test_a_cancel_before_the_first_token_keeps_the_session(opened: Opener):
    steps = ({"text": "Too late.", "first_token_delay_s": 60, "once": True}, {"text": "Here."})
    async with opened(*steps) as session:
        running = session.start("Go.")
        await session.until_asked(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        [cancelled] = session.seen(RunEnded)
        again = await session.say("And now?")
    assert (cancelled.end, cancelled.exit_code) == ("cancelled", 130)
    assert again.text == "Here."
    assert [message.role for message in session.messages] == ["user", "assistant"]


@pytest.mark.asyncio
async def test_a_cancel_in_the_middle_keeps_what_was_shown(opened: Opener):
    words = "one two three four five six seven eight"
    slow = {"text": words, "delta_delay_s": 0.1, "chunk": 4, "once": True}
    async with opened(slow, {"text": "Here."}, finishes=False) as session:
        running = session.start("Go.")
        await session.until(lambda: len(session.seen(AnswerDelta)) >= 3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        shown = "".join(event.text for event in session.seen(AnswerDelta))
        await session.say("And now?")
    assert session.messages[1] == Message("assistant", (Text(shown),))
    assert words.startswith(shown)


@pytest.mark.asyncio
async def test_a_cancel_in_tool_time_ends_the_process_and_gives_every_call_a_result(opened: Opener):
    calls = [{"tool": "Bash", "input": {"command": "echo $$ >pid; exec sleep 300"}}, READ_A]
    os.mkfifo(opened.root / "pid")
    async with opened({"calls": calls}, {"text": "Here."}) as session:
        running = session.start("Go.")
        pid = outer_pid(int(await asyncio.to_thread((opened.root / "pid").read_text)), opened.root)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not _runs(pid)
        assert session.outcomes == [("Bash", True), ("ReadFile", True)]
        assert [result.content for result in session.results] == [CANCELLED, CANCELLED]
        assert (await session.say("And now?")).text == "Here."


@pytest.mark.asyncio
async def test_a_run_that_broke_off_is_mended_by_the_next(opened: Opener):
    async with opened({"text": "Here."}) as session:
        call = ToolCall("c1", "ReadFile", {"path": "a.txt"})
        session.single.conversation.add_prompt(session.single.prompt("Before."))
        session.single.conversation.add_reply(Reply(Message("assistant", (call,)), "tools"))
        ended = await session.say("Go on.")
    assert ended.end == "done"
    assert [result.content for result in session.results] == [BROKEN]
    assert session.outcomes == [("ReadFile", True)]


def _raw_answer(call: dict[str, Any]) -> str:
    """Anthropic's stream of an answer that is one call."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
    arguments = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
    events = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {**call, "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": arguments},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.asyncio
async def test_a_model_that_repeats_itself_is_told_and_then_stopped(opened: Opener):
    opened.write(a="x")
    same = {"calls": [{"tool": "Grep", "input": {"pattern": "nothing"}}]}
    async with opened(*[same] * 6) as session:
        ended = await session.say("go")
        assert ended.end == "failed"
        assert "6 times in a row" in ended.reason
        told = ["the same results each time" in record.raw.decode() for record in session.server.log]
        assert told == [False, False, False, True, True, True]
