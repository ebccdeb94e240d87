"""Calls of one answer: in batches, behind the guard, each with one result."""

import asyncio

import pytest

from roocode.engine.loop.run_tools import NEIGHBOUR_FAILED
from roocode.interaction.config.sources import Flag
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import CallBegan, CallDecided, CallFinished, PermissionAsked
from tests.engine.loop.conftest import PROTOCOLS, Opener

DEFAULT_MODE = Flag(("permissions", "mode"), "default", "--permission-mode")


def read(name: str) -> dict[str, object]:
    return {"tool": "ReadFile", "input": {"path": f"{name}.txt"}}


def bash(command: str) -> dict[str, object]:
    return {"tool": "Bash", "input": {"command": command}}


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_neighbouring_reads_run_at_once_and_an_edit_alone(opened: Opener, protocol: str):
    opened.write(a="a\n", b="b\n")
    edit = {"tool": "EditFile", "input": {"path": "a.txt", "old_string": "a", "new_string": "c"}}
    calls = [read("a"), read("b"), edit, read("a"), read("b")]
    async with opened({"calls": calls}, {"text": "Done."}, protocol=protocol) as session:
        await session.say("Go.")
    steps = [
        (type(event).__name__, event.call.name)
        for event in session.events
        if isinstance(event, CallBegan | CallFinished)
    ]
    reads = [("CallBegan", "ReadFile")] * 2 + [("CallFinished", "ReadFile")] * 2
    assert steps == [*reads, ("CallBegan", "EditFile"), ("CallFinished", "EditFile"), *reads]
    assert [result.content.split("\t")[-1].strip() for result in session.results[3:]] == ["c", "b"]


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_results_stand_in_the_order_of_calls_whichever_ends_first(opened: Opener, protocol: str):
    calls = [bash("sleep 0.4; echo slow"), bash("echo quick")]
    async with opened({"calls": calls}, {"text": "Done."}, protocol=protocol) as session:
        await session.say("Go.")
    ended = [event.outcome.content for event in session.seen(CallFinished)]
    assert ["quick" in ended[0], "slow" in ended[1]] == [True, True]
    assert ["slow" in session.results[0].content, "quick" in session.results[1].content] == [True, True]


@pytest.mark.asyncio
async def test_a_failing_command_ends_the_rest_of_its_batch_only(opened: Opener):
    opened.write(a="a\n")
    edit = {"tool": "EditFile", "input": {"path": "a.txt", "old_string": "a", "new_string": "c"}}
    calls = [bash("sleep 300"), bash("cat missing.txt"), edit]
    async with opened({"calls": [read("a"), *calls]}, {"text": "Done."}) as session:
        await session.say("Go.")
    assert [result.is_error for result in session.results] == [False, True, True, False]
    assert session.results[1].content == NEIGHBOUR_FAILED.content
    assert "missing.txt" in session.results[2].content
    assert (opened.root / "a.txt").read_text() == "c\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_three_unknown_tools_in_a_row_end_the_run(opened: Opener, protocol: str):
    opened.write(a="a\n")
    unknown = {"tool": "Frobnicate", "input": {}, "unoffered": True}
    steps = ({"calls": [unknown, unknown]}, {"calls": [read("a")]}, {"calls": [unknown], "repeat": 3})
    async with opened(*steps, protocol=protocol) as session:
        ended = await session.say("Go.")
    assert (ended.end, ended.exit_code, ended.turns) == ("failed", 1, 5)
    assert "3 times in a row" in ended.reason
    assert "There is no tool 'Frobnicate'" in session.results[0].content
    assert "ReadFile" in session.results[0].content


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_five_unreadable_arguments_in_a_row_end_the_run(opened: Opener, protocol: str):
    broken = {"tool": "ReadFile", "raw": '{"path": "a.t'}
    async with opened({"calls": [broken], "repeat": 5}, protocol=protocol) as session:
        ended = await session.say("Go.")
    assert (ended.end, ended.exit_code, ended.turns) == ("failed", 1, 5)
    assert "5 times in a row" in ended.reason
    assert all(result.is_error and "JSON" in result.content for result in session.results)


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_call_that_the_output_limit_cuts_is_an_error_that_says_so(opened: Opener, protocol: str):
    write = {"tool": "WriteFile", "input": {"path": "x.txt", "content": "much " * 50}}
    steps = ({"calls": [write], "stop": "max_tokens"}, {"text": "I do it in parts."})
    async with opened(*steps, protocol=protocol) as session:
        ended = await session.say("Go.")
    assert ended.end == "done"
    [result] = session.results
    assert result.is_error
    assert "output limit" in result.content
    assert not (opened.root / "x.txt").exists()


@pytest.mark.asyncio
@pytest.mark.parametrize("allowed", [True, False])
async def test_a_question_holds_the_call_back_until_it_is_answered(opened: Opener, allowed: bool):
    steps = ({"calls": [bash("touch made.txt")]}, {"text": "Done."})
    async with opened(*steps, flags=(DEFAULT_MODE,)) as session:
        running = session.start("Go.")
        await session.until(lambda: bool(session.seen(PermissionAsked)))
        [asked] = session.seen(PermissionAsked)
        assert not (opened.root / "made.txt").exists()
        assert asked.question.preview == "touch made.txt"
        session.approver.answer(asked.question.id, PermissionAnswer(allowed))
        ended = await running
    assert ended.end == "done"
    assert (opened.root / "made.txt").exists() is allowed
    [decided] = session.seen(CallDecided)
    assert (decided.decision.verdict, decided.decision.layer) == ("allow" if allowed else "deny", "person")


@pytest.mark.asyncio
async def test_a_cancel_while_a_question_is_open_closes_it(opened: Opener):
    steps = ({"calls": [bash("touch made.txt"), read("a")]}, {"text": "Here."})
    async with opened(*steps, flags=(DEFAULT_MODE,)) as session:
        running = session.start("Go.")
        await session.until(lambda: bool(session.seen(PermissionAsked)))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        [asked] = session.seen(PermissionAsked)
        assert not session.approver.answer(asked.question.id, PermissionAnswer(True))
        await session.say("And now?")
    assert not (opened.root / "made.txt").exists()
    assert [result.is_error for result in session.results] == [True, True]
