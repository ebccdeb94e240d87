from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.engine.models.failures import Failures
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.profiles import profile_of
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, user
from tests.engine.models.wires import READ_FILE, endpoint, request

OPENAI = "https://api.openai.com/v1"
MISTRAL = "https://api.mistral.ai/v1"
DEEPSEEK = "https://api.deepseek.com"
CALL = ToolCall("call_1", "ReadFile", {"path": "é"})


def wire(**more: Any) -> ChatWire:
    address = endpoint("openai", **more)
    return ChatWire(address, profile_of(address))


def messages(*said: Message, **more: Any) -> Any:
    return json.loads(wire(**more).body(request(system="", messages=said)))["messages"]


def test_a_request() -> None:
    assert json.loads(wire().body(request(max_tokens=99))) == {
        "model": "m-1",
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "ReadFile",
                    "description": "Reads a file.",
                    "parameters": READ_FILE.parameters,
                },
            }
        ],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
    }


def test_official_hosts_take_another_name_of_the_limit() -> None:
    sent = json.loads(wire(base_url=OPENAI).body(request(tool_choice="none", extra={"seed": 1})))
    assert "max_tokens" not in sent
    assert (sent["max_completion_tokens"], sent["tool_choice"], sent["seed"]) == (8192, "none", 1)


def test_results_come_before_text_each_in_its_message_and_errors_say_so() -> None:
    answered = Message(
        "user",
        (Text("and"), ToolResult("a", ""), ToolResult("b", "no", True), ToolResult("c", "Error: x", True)),
    )
    assert messages(answered) == [
        {"role": "tool", "tool_call_id": "a", "content": "(no output)"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: no"},
        {"role": "tool", "tool_call_id": "c", "content": "Error: x"},
        {"role": "user", "content": "and"},
    ]


def test_calls() -> None:
    function = {"name": "ReadFile", "arguments": '{"path":"é"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    assert messages(Message("assistant", (Text("a"), Text("b"), CALL))) == [
        {"role": "assistant", "content": "a\n\nb", "tool_calls": [call]}
    ]
    (alone,) = messages(Message("assistant", (CALL,)))
    assert alone["content"] is None


@pytest.mark.parametrize(
    ("message", "content"),
    [(user(""), "(empty)"), (Message("assistant", ()), "(no answer)"), (user("", "a"), "a")],
)
def test_nothing_empty_is_sent(message: Message, content: str) -> None:
    assert messages(message)[0]["content"] == content


def test_a_call_that_could_not_be_read_is_sent_as_one_without_arguments() -> None:
    (sent,) = messages(Message("assistant", (ToolCall("a", "Edit", None, "{oops", "why"),)))
    assert sent["tool_calls"][0]["function"]["arguments"] == "{}"


def test_ids_fit_the_endpoint() -> None:
    said = (Message("assistant", (CALL,)), Message("user", (ToolResult("call_1", "x"),)))
    call, result = messages(*said, base_url=MISTRAL)
    assert len(result["tool_call_id"]) == 9
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert messages(*said)[1]["tool_call_id"] == "call_1"


@pytest.mark.parametrize(
    ("base_url", "field"),
    [
        ("http://127.0.0.1:1/v1", "reasoning_content"),
        ("https://openrouter.ai/api/v1", "reasoning"),
        (DEEPSEEK, "reasoning_content"),
        (OPENAI, None),
        (MISTRAL, None),
    ],
)
def test_reasoning_goes_back_where_it_is_wanted(base_url: str, field: str | None) -> None:
    thought = Message("assistant", (Thinking("h"), Thinking("m"), Thinking("other", "S"), Text("ok")))
    (sent,) = messages(thought, base_url=base_url)
    assert sent == {"role": "assistant", "content": "ok"} | ({field: "hm"} if field else {})


def test_reasoning_that_was_empty_goes_back_too() -> None:
    (sent,) = messages(Message("assistant", (Thinking(""), Text("ok"))))
    assert sent["reasoning_content"] == ""
    (sent,) = messages(Message("assistant", (CALL,)), base_url=DEEPSEEK)
    assert sent["reasoning_content"] == ""


def test_reasoning_goes_back_under_the_name_it_came_with() -> None:
    asking = wire()
    parser = asking.parser(Failures(endpoint("openai"), "m-1"))
    list(parser.event(ServerSentEvent("", '{"choices": [{"delta": {"reasoning": "hm"}}]}')))
    sent = json.loads(asking.body(request(system="", messages=(Message("assistant", (Thinking("hm"),)),))))
    assert sent["messages"] == [{"role": "assistant", "content": "(no answer)", "reasoning": "hm"}]


def test_a_refused_field_is_left_out_from_then_on() -> None:
    asking = wire()
    assert asking.asking.adapt(ProviderRefused("Unknown parameter: 'stream_options'"))
    assert not asking.asking.adapt(ProviderRefused("Unknown parameter: 'stream_options'"))
    assert asking.asking.adapt(ProviderRefused("'max_tokens' is not supported, use 'max_completion_tokens'"))
    assert not asking.asking.adapt(ProviderRefused("too long"))
    sent = json.loads(asking.body(request()))
    assert not {"stream_options", "max_tokens"} & set(sent)
    assert sent["max_completion_tokens"] == 8192


@pytest.mark.parametrize(("key", "sent"), [("sk-1", "Bearer sk-1"), (None, None), ("", None)])
def test_no_key_no_header(key: str | None, sent: str | None) -> None:
    assert wire(api_key=key or None).headers().get("authorization") == sent
