"""What breaks other agents at real endpoints, one test a quirk, by number.

 1  call deltas without an index                  12  the name of the reasoning field differs, or it is empty
 2  a missing index is not 0                      13  `stop` although tools are called
 3  an index but no id                            14  `tool_calls` although none is called
 4  the arguments carry another index             15  no finish reason at all
 5  arguments before the name                     16  comments between the events
 6  one id for several calls, or in two turns     17  keep-alives that are no events
 7  empty text for no arguments                   18  usage that must be asked for, or may not be
 8  empty text for arguments in a history         19  usage that is 0, absent or misplaced
 9  arguments cut in the middle                   20  a window smaller than the model's, cut without a word
10  empty deltas, then a call in one piece        21  calls printed as text
11  reasoning that must be sent back

Every shape of a stream stands in the shapes_ files as well, and is read there over both transports.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from roocode.engine.models.assemble import ReplyBuilder, assemble
from roocode.engine.models.client import Patience
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.probe.probe import probe
from roocode.engine.models.profiles import Profile, profile_of
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage, user
from roocode.protocol.models import ModelInfo
from roocode.scripted.server import ScriptedServer
from tests.engine.models.raw_server import Plan, RawServer
from tests.engine.models.shapes_openai import CALLED, CHAT, call_delta, chunk
from tests.engine.models.wires import anthropic_sse, chat_sse, endpoint, read, request

Start = Callable[..., ScriptedServer]
ONCE = RetryPolicy(tries=1)
ONE, TWO = '{"n":1}', '{"n":2}'


def reply(*chunks: dict[str, Any], done: bool = True, taken: frozenset[str] = frozenset()) -> Reply:
    return assemble(read("openai", [chat_sse(*chunks, done=done)], taken=taken))


def calls(answer: Reply) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in answer.message.calls]


def named(name: str, arguments: str | None = None, **more: Any) -> dict[str, Any]:
    return chunk(call_delta(name=name, arguments=arguments, **more))


def sent(*messages: Message, **more: Any) -> Any:
    address = endpoint("openai", **more)
    wire = ChatWire(address, profile_of(address))
    return json.loads(wire.body(request(system="", messages=messages)))["messages"]


async def asked(server: ScriptedServer, *messages: Message) -> Reply:
    client = connect(Endpoint("own", "openai", f"{server.url}/v1"), ONCE)
    builder = ReplyBuilder()
    async for event in client.stream(request(messages=messages)):
        builder.add(event)
    await client.close()
    return builder.reply()


def test_all_21_are_here() -> None:
    names = " ".join(name for name in dir(sys.modules[__name__]) if name.startswith("test_quirk_"))
    assert {int(number) for number in re.findall(r"test_quirk_(\d\d)", names)} == set(range(1, 22))


def test_quirk_01_no_index() -> None:
    answer = reply(
        named("a", id="x"), chunk(call_delta(id="x", arguments=ONE)), named("b", TWO, id="y"), CALLED
    )
    assert calls(answer) == [("a", {"n": 1}), ("b", {"n": 2})]


def test_quirk_02_a_missing_index_is_not_0() -> None:
    together = {"tool_calls": [call_delta(name=n, arguments=ONE)["tool_calls"][0] for n in ("a", "b", "c")]}
    assert [name for name, _ in calls(reply(chunk(together), CALLED))] == ["a", "b", "c"]


def test_quirk_02_pieces_without_an_index_find_their_call_by_its_id() -> None:
    pieces = [chunk(call_delta(id=call, arguments=part)) for part in ('{"n":', "1}") for call in ("x", "y")]
    answer = reply(named("a", id="x"), named("a", id="y"), *pieces, CALLED)
    assert calls(answer) == [("a", {"n": 1}), ("a", {"n": 1})]


def test_quirk_03_an_index_but_no_id() -> None:
    first = reply(named("a", ONE, index=0), named("a", TWO, index=1), CALLED).message.calls
    again = reply(named("a", ONE, index=0), named("a", TWO, index=1), CALLED).message.calls
    assert [call.id for call in first] == [call.id for call in again]
    assert len({call.id for call in first} - {""}) == 2


def test_quirk_04_the_arguments_carry_another_index() -> None:
    answer = reply(named("a", index=1, id="x"), chunk(call_delta(index=0, arguments=ONE)), CALLED)
    assert calls(answer) == [("a", {"n": 1})]


def test_quirk_05_arguments_before_the_name() -> None:
    answer = reply(chunk(call_delta(index=0, id="x", arguments='{"n":')), named("a", "1}", index=0), CALLED)
    assert calls(answer) == [("a", {"n": 1})]


def test_quirk_06_one_id_for_several_calls_and_in_two_turns() -> None:
    same = (named("a", ONE, index=0, id="x"), named("b", TWO, index=1, id="x"), CALLED)
    answer = reply(*same, taken=frozenset({"x"}))
    ids = [call.id for call in answer.message.calls]
    assert len({*ids, "x"}) == 3
    results = Message("user", tuple(ToolResult(call_id, call_id) for call_id in ids))
    said, *answers = sent(answer.message, results)
    assert [call["id"] for call in said["tool_calls"]] == [each["tool_call_id"] for each in answers] == ids


def test_quirk_06_an_id_that_another_endpoint_does_not_take_is_mapped_in_pairs() -> None:
    said = Message("assistant", (ToolCall("functions.add:0", "a", {}), ToolCall("functions.add:1", "a", {})))
    results = Message("user", (ToolResult("functions.add:0", "0"), ToolResult("functions.add:1", "1")))
    call, *answers = sent(said, results, base_url="https://api.mistral.ai/v1")
    ids = [each["id"] for each in call["tool_calls"]]
    assert [each["tool_call_id"] for each in answers] == ids
    assert all(re.fullmatch(r"[a-zA-Z0-9]{9}", identifier) for identifier in ids)
    assert len(set(ids)) == 2


def test_quirk_07_empty_text_for_no_arguments() -> None:
    assert calls(reply(named("a", "", index=0, id="x"), CALLED)) == [("a", {})]


@pytest.mark.parametrize("arguments", [{}, None])
def test_quirk_08_no_empty_text_in_a_history(arguments: Any) -> None:
    (said,) = sent(Message("assistant", (ToolCall("x", "a", arguments, ""),)))
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("cut", range(1, len('{"path":"a","content":"b"}')))
def test_quirk_09_arguments_cut_in_the_middle_are_never_run(cut: int) -> None:
    raw = '{"path":"a","content":"b"}'[:cut]
    answer = reply(named("WriteFile", raw, index=0, id="x"), chunk({}, "length"))
    (call,) = answer.message.calls
    assert call.arguments is None
    assert call.raw == raw
    assert "output limit" in call.complaint


def test_quirk_10_empty_deltas_then_a_call_in_one_piece() -> None:
    empty = [
        chunk({}),
        chunk({"content": None, "tool_calls": []}),
        {"choices": [{"index": 0, "delta": None}]},
    ]
    assert calls(reply(*empty * 3, named("a", ONE, index=0, id="x"), CALLED)) == [("a", {"n": 1})]


@pytest.mark.asyncio
async def test_quirk_11_reasoning_that_must_be_sent_back(scripted: Start) -> None:
    words = "The `reasoning_content` in the thinking mode must be passed back to the API."
    server = scripted({"agents": {"main": [{"error": {"status": 400, "message": words}}, {"text": "ok"}]}})
    one, two = ToolCall("x", "ReadFile", {}), ToolCall("y", "ReadFile", {})
    history = (
        user("go"),
        Message("assistant", (one,)),
        Message("user", (ToolResult("x", "1"),)),
        Message("assistant", (Thinking("hm"), two)),
        Message("user", (ToolResult("y", "2"),)),
    )
    assert (await asked(server, *history)).message.text == "ok"
    said = [m for m in server.log[1].body["messages"] if m["role"] == "assistant"]
    assert [message["reasoning_content"] for message in said] == ["", "hm"]


@pytest.mark.asyncio
async def test_quirk_11_reasoning_that_may_not_be_sent_back(scripted: Start) -> None:
    words = "messages.1.assistant.reasoning_content: Extra inputs are not permitted"
    server = scripted({"agents": {"main": [{"error": {"status": 400, "message": words}}, {"text": "ok"}]}})
    said = Message("assistant", (Thinking("hm"), Text("a")))
    assert (await asked(server, user("go"), said, user("on"))).message.text == "ok"
    assert ["reasoning_content" in record.raw.decode() for record in server.log] == [True, False]


@pytest.mark.asyncio
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("text", ["hm", ""])
async def test_quirk_12_the_field_that_was_seen_is_the_one_that_goes_back(field: str, text: str) -> None:
    body = chat_sse(chunk({field: text}), chunk({"content": "ok"}, "stop"))
    async with RawServer(Plan([body])) as server:
        client = connect(endpoint("openai", server.base_url), ONCE)
        builder = ReplyBuilder()
        async for event in client.stream(request()):
            builder.add(event)
        history = (user("hi"), builder.reply().message, user("on"))
        assert [event async for event in client.stream(request(messages=history))]
        await client.close()
    assert server.requests[1].body["messages"][2][field] == text


def test_quirk_13_stop_although_tools_are_called() -> None:
    assert reply(named("a", ONE, index=0, id="x"), chunk({}, "stop")).stop == "tools"


def test_quirk_14_tool_calls_although_none_is_called() -> None:
    assert reply(chunk({"content": "ok"}), CALLED).stop == "end"


def test_quirk_15_no_finish_reason_at_all() -> None:
    answer = reply(named("a", ONE, index=0, id="x"), chunk({"content": None}, None))
    assert (calls(answer), answer.stop) == ([("a", {"n": 1})], "tools")


def test_quirk_16_comments_between_the_events() -> None:
    plain = read("openai", [CHAT])
    assert read("openai", [CHAT.replace(b"data: {", b": WAIT\n\n: {oops\ndata: {")]) == plain


@pytest.mark.asyncio
async def test_quirk_17_keep_alives_that_are_no_events() -> None:
    half = CHAT.index(b"data: ", 10)
    pieces = [CHAT[:half], *[b": still here\n"] * 40, *[b"\n"] * 40, CHAT[half:]]
    async with RawServer(Plan(pieces)) as server:
        client = connect(endpoint("openai", server.base_url), ONCE, Patience(begin_s=20, idle_s=20))
        events = [event async for event in client.stream(request())]
        await client.close()
    assert events == read("openai", [CHAT])


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [400, 422])
async def test_quirk_18_usage_is_asked_for_everywhere_and_left_out_where_that_is_refused(
    scripted: Start, status: int
) -> None:
    refusal = {"error": {"status": status, "message": "Extra inputs are not permitted: stream_options"}}
    server = scripted({"agents": {"main": [refusal, {"text": "ok"}]}})
    answer = await asked(server, user("hi"))
    assert ["stream_options" in record.body for record in server.log] == [True, False]
    assert answer.usage.estimated


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"usage": None},
        {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
    ],
)
def test_quirk_19_no_usage_is_an_estimate_that_says_so(usage: dict[str, Any]) -> None:
    answer = reply(chunk({"content": "eight ch"}), chunk({}, "stop", **usage))
    assert answer.usage == Usage(100, 2, estimated=True)


def test_quirk_19_usage_of_zeros_in_the_messages_protocol() -> None:
    nothing = {"input_tokens": 0, "output_tokens": 0}
    start = {"type": "message_start", "message": {"model": "m", "usage": nothing}}
    body = anthropic_sse(start, {"type": "message_delta", "usage": nothing}, {"type": "message_stop"})
    assert assemble(read("anthropic", [body])).usage == Usage(100, 0, estimated=True)


def test_quirk_19_usage_in_the_choice() -> None:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
    used = {"usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    assert reply(chunk({"content": "ok"}), {"choices": [{**choice, **used}]}).usage == Usage(3, 1)


@pytest.mark.asyncio
async def test_quirk_20_a_server_that_cuts_its_prompts_is_found_out(scripted: Start) -> None:
    cut = {"text": "Which?", "usage": {"input": 4090, "output": 2}, "once": True}
    steps = [{"text": "amber", "once": True}, {"text": "I cannot.", "once": True}, cut]
    server = scripted({"agents": {"provider-test": steps}})
    report = await probe(
        Endpoint("ollama", "openai", f"{server.url}/v1"), ModelInfo("ollama", "m", 128_000, 8192)
    )
    assert report.window == 4096
    assert any(finding.name == "window" and finding.status == "problem" for finding in report.findings)


@pytest.mark.asyncio
@pytest.mark.parametrize("reads", [True, False])
async def test_quirk_21_calls_printed_as_text_are_read_by_choice_and_never_in_silence(
    scripted: Start, reads: bool
) -> None:
    printed = '```json\n{"name": "ReadFile", "arguments": {"path": "a"}}\n```'
    server = scripted({"agents": {"main": [{"text": printed}]}})
    told: list[str] = []
    address = Endpoint("own", "openai", f"{server.url}/v1")
    client = connect(address, ONCE, profile=Profile(text_calls=reads), tell=told.append)
    builder = ReplyBuilder()
    async for event in client.stream(request()):
        builder.add(event)
    await client.close()
    answer = builder.reply()
    assert calls(answer) == ([("ReadFile", {"path": "a"})] if reads else [])
    assert answer.message.text == ("" if reads else printed)
    assert len(told) == 1
