from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.profiles import profile_of
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, user
from roocode.protocol.models import ModelRequest
from tests.engine.models.wires import READ_FILE, endpoint, request

MARK = {"cache_control": {"type": "ephemeral"}}


def wire(**more: Any) -> AnthropicWire:
    address = endpoint("anthropic", **more)
    return AnthropicWire(address, profile_of(address))


def body(asked: ModelRequest, **more: Any) -> Any:
    return json.loads(wire(**more).body(asked))


def blocks(message: Message, **more: Any) -> Any:
    sent = body(request(messages=(message, user("next"), user("next"))), **more)
    return sent["messages"][0]["content"]


def test_a_request() -> None:
    assert body(request(max_tokens=99)) == {
        "model": "m-1",
        "max_tokens": 99,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "tools": [
            {"name": "ReadFile", "description": "Reads a file.", "input_schema": READ_FILE.parameters, **MARK}
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", **MARK}]}],
    }


def test_what_is_not_there_is_not_sent() -> None:
    sent = body(request(system=" ", tools=(), tool_choice="none"))
    assert not {"system", "tools", "tool_choice"} & set(sent)


def test_tools_stay_where_their_use_is_forbidden() -> None:
    sent = body(request(tool_choice="none", extra={"temperature": 0}))
    assert sent["tool_choice"] == {"type": "none"}
    assert sent["tools"]
    assert sent["temperature"] == 0


def test_the_last_two_user_messages_are_marked() -> None:
    talk = (
        user("a"),
        Message("assistant", (Text("b"),)),
        user("c", "d"),
        Message("assistant", (Text("e"),)),
        user("f"),
    )
    sent = body(request(messages=talk))["messages"]
    marked = [(i, j) for i, m in enumerate(sent) for j, b in enumerate(m["content"]) if "cache_control" in b]
    assert marked == [(2, 1), (4, 0)]


def test_calls_thinking_and_results() -> None:
    spoken = Message(
        "assistant",
        (
            Thinking("hm", "S"),
            Thinking("XX", redacted=True),
            Thinking("", "S2"),
            Text("ok"),
            ToolCall("t1", "ReadFile", MappingProxyType({"path": "é"})),
        ),
    )
    assert blocks(spoken) == [
        {"type": "thinking", "thinking": "hm", "signature": "S"},
        {"type": "redacted_thinking", "data": "XX"},
        {"type": "thinking", "thinking": "", "signature": "S2"},
        {"type": "text", "text": "ok"},
        {"type": "tool_use", "id": "t1", "name": "ReadFile", "input": {"path": "é"}},
    ]
    answered = Message("user", (Text("and"), ToolResult("t1", "x"), ToolResult("t2", "no", is_error=True)))
    assert blocks(answered) == [
        {"type": "tool_result", "tool_use_id": "t1", "content": "x"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
        {"type": "text", "text": "and"},
    ]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (user(""), [{"type": "text", "text": "(empty)"}]),
        (user(" \n", "a"), [{"type": "text", "text": "a"}]),
        (Message("assistant", ()), [{"type": "text", "text": "(no answer)"}]),
        (
            Message("user", (ToolResult("t", ""),)),
            [{"type": "tool_result", "tool_use_id": "t", "content": "(no output)"}],
        ),
    ],
)
def test_nothing_empty_is_sent(message: Message, content: Any) -> None:
    assert blocks(message) == content


def test_thinking_is_never_last_and_unsigned_thinking_goes_only_where_it_is_wanted() -> None:
    assert blocks(Message("assistant", (Thinking("hm", "S"),)))[-1] == {"type": "text", "text": "(no answer)"}
    unsigned = Message("assistant", (Thinking("hm"), Text("ok")))
    assert [block["type"] for block in blocks(unsigned)] == ["text"]
    there = "https://api.deepseek.com/anthropic"
    assert [block["type"] for block in blocks(unsigned, base_url=there)] == ["thinking", "text"]


def test_a_call_that_could_not_be_read_is_sent_as_one_without_arguments() -> None:
    call = ToolCall("functions.add:0", "no such tool", None, "{oops", "why")
    result = ToolResult("functions.add:0", "why", is_error=True)
    (sent,) = blocks(Message("assistant", (call,)))
    assert sent["input"] == {}
    assert sent["name"] == "no_such_tool"
    assert sent["id"].isalnum()
    assert blocks(Message("user", (result,)))[0]["tool_use_id"] == sent["id"]


@pytest.mark.parametrize(
    ("more", "credentials"),
    [
        ({}, {"x-api-key": "sk-very-secret"}),
        ({"bearer": True}, {"authorization": "Bearer sk-very-secret"}),
        ({"api_key": None}, {}),
        ({"api_key": None, "extra_headers": {"x-team": "a"}}, {"x-team": "a"}),
    ],
)
def test_headers(more: dict[str, Any], credentials: dict[str, str]) -> None:
    fixed = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
    assert wire(**more).headers() == {**fixed, **credentials}
