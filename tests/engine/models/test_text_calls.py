from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.assemble import ReplyBuilder
from roocode.engine.models.text_calls import TextCallClient, printed_calls
from roocode.protocol.messages import Message, Reply, StopReason, ToolCall
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    ModelRequest,
    Retrying,
    StreamEvent,
    TextDelta,
)
from tests.engine.models.wires import request

OFFERED = frozenset({"ReadFile"})
CALL = '{"name": "ReadFile", "arguments": {"path": "a"}}'
ARGUMENTS = [("ReadFile", {"path": "a"})]


class Model:
    """Answers with exactly these events."""

    def __init__(self, *events: StreamEvent | Retrying, stop: StopReason = "end") -> None:
        self.events = (*events, Finished(stop, "m"))

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamEvent | Retrying]:
        for event in self.events:
            yield event

    async def close(self) -> None:
        return


async def reply(model: Model, *, enabled: bool = True, told: list[str] | None = None) -> Reply:
    heard = [] if told is None else told
    client = TextCallClient(model, "local", heard.append, enabled=enabled)
    builder = ReplyBuilder()
    async for event in client.stream(request()):
        builder.add(event)
    return builder.reply()


def calls(answer: Reply) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in answer.message.calls]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (CALL, ""),
        (f"\n {CALL}\n", ""),
        (f"```json\n{CALL}\n```", ""),
        (f"```\n[{CALL}]\n```", ""),
        (f"<tool_call>\n{CALL}\n</tool_call>", ""),
        (f"I read it.\n<tool_call>{CALL}</tool_call>", "I read it."),
        (f"<tool_call>{CALL}", ""),
        ('{"function": "ReadFile", "parameters": {"path": "a"}}', ""),
        ('{"type": "function", "function": {"name": "ReadFile", "arguments": "{\\"path\\": \\"a\\"}"}}', ""),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_printed_call_is_a_call(printed: str, text: str, size: int) -> None:
    pieces = [TextDelta(printed[start : start + size]) for start in range(0, len(printed), size)]
    told: list[str] = []
    answer = await reply(Model(*pieces), told=told)
    assert (calls(answer), answer.stop) == (ARGUMENTS, "tools")
    assert answer.message.text.strip() == text
    assert len(told) == 1
    assert "prints its calls as text" in told[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Format", "arguments": {}}',
        '{"name": "ReadFile", "arguments": [1]}',
        '{"name": "ReadFile"}',
        f"{CALL} and more",
        f"Like this: {CALL}",
        CALL[:-1],
        "{}",
        "[]",
        "",
        f"{CALL} {{}}",
        "[" * 100_000,
    ],
)
def test_what_is_not_whole_or_not_offered_is_no_call(text: str) -> None:
    assert printed_calls(text, OFFERED) == []


def test_several_calls() -> None:
    assert len(printed_calls(f"{CALL}\n{CALL}; {CALL}", OFFERED)) == 3
    assert len(printed_calls(f"[{CALL}, {CALL}]", OFFERED)) == 2
    assert len(printed_calls(f"<tool_call>{CALL}</tool_call>" * 2, OFFERED)) == 2


@pytest.mark.asyncio
async def test_without_the_profile_nothing_is_run_and_it_is_told_once() -> None:
    told: list[str] = []
    model = Model(TextDelta(CALL))
    client = TextCallClient(model, "local", told.append, enabled=False)
    for _ in range(2):
        events = [event async for event in client.stream(request())]
        assert events == list(model.events)
    assert len(told) == 1
    assert "roocode provider test local" in told[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("enabled", [True, False])
async def test_where_no_call_is_wanted_none_is_read_and_nothing_is_told(enabled: bool) -> None:
    told: list[str] = []
    model = Model(TextDelta(CALL))
    client = TextCallClient(model, "local", told.append, enabled=enabled)
    events = [event async for event in client.stream(request(tool_choice="none"))]
    assert (events, told) == ([*model.events], [])


@pytest.mark.asyncio
async def test_no_id_of_a_call_comes_twice_even_after_the_history_shrank() -> None:
    client = TextCallClient(Model(TextDelta(CALL)), "local", lambda text: None, enabled=True)

    async def given(*calls: str) -> list[str]:
        history = Message("assistant", tuple(ToolCall(call, "ReadFile", {}) for call in calls))
        events = [event async for event in client.stream(request(messages=(history,)))]
        return [event.id for event in events if isinstance(event, CallStarted)]

    assert await given("call_1_0") == ["call_1_0_2"]
    assert await given("call_1_0", "call_1_0_2") == ["call_1_0_3"]
    assert await given() == ["call_1_0_3"]


@pytest.mark.asyncio
async def test_real_calls_stay_as_they_are() -> None:
    real = (CallStarted(0, "c", "ReadFile"), CallArguments(0, "{}"), CallEnded(0))
    answer = await reply(Model(TextDelta("{"), *real, TextDelta("so"), stop="tools"))
    assert calls(answer) == [("ReadFile", {})]
    assert answer.message.text == "{\n\nso"


@pytest.mark.asyncio
async def test_what_a_failed_try_said_does_not_count() -> None:
    answer = await reply(Model(TextDelta(CALL), Retrying(1, 5, 0, "cut"), TextDelta("no")))
    assert (calls(answer), answer.message.text) == ([], "no")


@given(
    st.lists(st.sampled_from(["<tool", "<tool_call>", "a", "`", "{", " ", "</tool_call>", "<"]), max_size=8)
)
@pytest.mark.asyncio
async def test_text_without_a_call_comes_whole(pieces: list[str]) -> None:
    answer = await reply(Model(*map(TextDelta, pieces)))
    assert "".join(pieces) == answer.message.text
