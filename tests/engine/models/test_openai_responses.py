from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.engine.models.openai_responses import ResponsesWire
from roocode.engine.models.profiles import profile_of
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, user
from roocode.protocol.models import Effort
from tests.engine.models.wires import READ_FILE, endpoint, request

OPENAI = "https://api.openai.com/v1"
OURS = "openai-responses"
CALL = ToolCall("call_1", "ReadFile", {"path": "é"})
RESULT = Message("user", (ToolResult("call_1", "x"),))
SEALED = Thinking("hm", "rs_1 E", origin=OURS)


def wire(effort: Effort | None = None, **more: Any) -> ResponsesWire:
    address = endpoint("openai-responses", **more)
    return ResponsesWire(address, profile_of(address), effort)


def items(*said: Message, **more: Any) -> Any:
    return json.loads(wire(**more).body(request(system="", messages=said)))["input"]


def test_a_request() -> None:
    assert json.loads(wire().body(request(max_tokens=99))) == {
        "model": "m-1",
        "stream": True,
        "max_output_tokens": 99,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "tools": [
            {
                "type": "function",
                "name": "ReadFile",
                "description": "Reads a file.",
                "parameters": READ_FILE.parameters,
                "strict": False,
            }
        ],
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "hi"}],
    }


def test_the_session_is_the_key_of_the_cache_where_there_is_one() -> None:
    asked = request(headers={"X-RooCode-Session": "s-1"})
    assert json.loads(wire(base_url=OPENAI).body(asked))["prompt_cache_key"] == "s-1"
    assert "prompt_cache_key" not in json.loads(wire().body(asked))


def test_an_effort_is_asked_for_with_a_summary() -> None:
    assert json.loads(wire("high").body(request()))["reasoning"] == {"effort": "high", "summary": "auto"}
    assert json.loads(wire("off").body(request()))["reasoning"] == {"effort": "none"}
    assert "reasoning" not in json.loads(wire("high").body(request(model="gpt-4.1")))
    assert "reasoning" not in json.loads(wire().body(request()))


def test_a_conversation() -> None:
    said = Message("assistant", (SEALED, Text("a"), CALL))
    answered = Message("user", (Text("and"), ToolResult("call_1", "no", True), ToolResult("call_2", " ")))
    assert items(said, answered) == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "E",
        },
        {"role": "assistant", "content": "a"},
        {"type": "function_call", "call_id": "call_1", "name": "ReadFile", "arguments": '{"path":"é"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "Error: no"},
        {"type": "function_call_output", "call_id": "call_2", "output": "(no output)"},
        {"role": "user", "content": "and"},
    ]


@pytest.mark.parametrize(
    "thinking",
    [
        Thinking("hm", "rs_1 E", origin="anthropic"),
        Thinking("hm", "rs_1 E"),
        Thinking("hm", "no-item", origin=OURS),
        Thinking("hm", origin=OURS),
        Thinking("hm", None, True, OURS),
    ],
)
def test_reasoning_of_others_is_never_sent(thinking: Thinking) -> None:
    assert items(Message("assistant", (thinking, Text("a")))) == [{"role": "assistant", "content": "a"}]


def test_open_reasoning_goes_back_where_it_is_wanted() -> None:
    said = Message("assistant", (Thinking("hm", origin=OURS), Text("a")))
    (first, _) = items(said, base_url="https://api.deepseek.com/v1")
    assert first == {
        "type": "reasoning",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "hm"}],
    }


def test_reasoning_never_stands_last() -> None:
    assert items(Message("assistant", (SEALED,)))[-1] == {"role": "assistant", "content": "(no answer)"}


@pytest.mark.parametrize(
    ("message", "content"),
    [(user(""), "(empty)"), (Message("assistant", ()), "(no answer)"), (user("", "a"), "a")],
)
def test_nothing_empty_is_sent(message: Message, content: str) -> None:
    assert items(message)[0]["content"] == content


def test_phases_are_told_where_they_count() -> None:
    said = (Message("assistant", (Text("I look."), CALL)), RESULT, Message("assistant", (Text("Done."),)))
    commentary, _, _, answer = items(*said, base_url=OPENAI)
    assert (commentary["phase"], answer["phase"]) == ("commentary", "final_answer")
    assert not any("phase" in item for item in items(*said))


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("Unsupported parameter: 'max_output_tokens'", "max_output_tokens"),
        ("Unknown parameter: 'include'", "include"),
        ("Invalid value for 'include[0]'", "include"),
        ("Unknown parameter: `store`", "store"),
        ("Unsupported parameter: 'reasoning.effort' is not supported with this model", "reasoning"),
    ],
)
def test_a_refused_field_is_left_out_from_then_on(words: str, gone: str) -> None:
    asking = wire("high")
    before = json.loads(asking.body(request()))
    assert asking.asking.adapt(ProviderRefused(words))
    after = json.loads(asking.body(request()))
    assert before.keys() - after.keys() == {gone}
    assert not asking.asking.adapt(ProviderRefused(words))


@pytest.mark.parametrize(
    "words",
    [
        "The encrypted content for item rs_1 could not be verified.",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
)
def test_reasoning_that_cannot_be_read_is_left_out_of_the_whole_history(words: str) -> None:
    asking, sent = wire(), request(messages=(Message("assistant", (SEALED, Text("a"))), user("b")))
    assert b"rs_1" in asking.body(sent)
    assert asking.asking.adapt(ProviderRefused(words))
    assert b"rs_1" not in asking.body(sent)


def test_a_request_is_a_prefix_of_the_next() -> None:
    asking = wire("low", base_url=OPENAI)
    history: tuple[Message, ...] = (user("hi"),)
    before = asking.body(request(messages=history))
    for more in (Message("assistant", (SEALED, Text("a"), CALL)), RESULT, Message("assistant", (Text("b"),))):
        history = (*history, more)
        after = asking.body(request(messages=history))
        assert after.startswith(before[:-2])
        before = after
