"""What goes over the wire: streams, whole bodies, errors, cuts, delays and raw bytes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.anthropic.strict import sign
from roocode.scripted.server import ScriptedServer
from tests.scripted.talk import Agent, Response

Start = Callable[..., ScriptedServer]
PROTOCOLS = ("anthropic", "openai")
TWO_CALLS = [
    {"tool": "ReadFile", "input": {"x": "ä" * 20}},
    {"tool": "EditFile", "input": {"x": "b" * 20}},
]


def stream(server: ScriptedServer, protocol: str, *, usage: bool = True) -> Response:
    """One streamed answer."""
    extra: dict[str, Any] = {"stream": True}
    if protocol == "openai" and usage:
        extra["stream_options"] = {"include_usage": True}
    agent = Agent(server.url, protocol=protocol, extra=extra)
    agent.messages.append({"role": "user", "content": "Go."})
    return agent.ask(store=False)


def one(**step: Any) -> dict[str, Any]:
    return {"agents": {"main": [step]}}


def test_an_anthropic_stream_has_its_blocks_one_after_another(scripted: Start) -> None:
    server = scripted(one(thinking="Hm. Hm.", text="I read it.", calls=TWO_CALLS, chunk=4))
    response = stream(server, "anthropic")
    events = response.events
    assert response.headers["content-type"].startswith("text/event-stream")
    assert [event["type"] for event in events[:3]] == ["message_start", "ping", "content_block_start"]
    assert [event["type"] for event in events[-2:]] == ["message_delta", "message_stop"]
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    indexes = [event["index"] for event in events if "index" in event]
    assert indexes == sorted(indexes)
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert "".join(delta.get("thinking", "") for delta in deltas) == "Hm. Hm."
    assert [delta["text"] for delta in deltas if "text" in delta] == ["I re", "ad i", "t."]
    assert sum("signature" in delta for delta in deltas) == 1
    for index, call in enumerate(TWO_CALLS, 2):
        own = [event["delta"] for event in events if event.get("index") == index and "delta" in event]
        assert len(own) > 3
        assert json.loads("".join(delta["partial_json"] for delta in own)) == call["input"]
    names = [event["content_block"].get("name") for event in events if "content_block" in event]
    assert names == [None, None, "ReadFile", "EditFile"]
    assert all(line.startswith(("event: ", "data: ")) for line in response.body.decode().split("\n") if line)


def test_thinking_can_be_sent_back_as_it_came(scripted: Start) -> None:
    server = scripted({"agents": {"main": [{"thinking": "Hm.", "text": "One."}, {"text": "Two."}]}})
    agent = Agent(server.url)
    agent.say("Go.")
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": sign("Hm.")}
    assert agent.messages[-1]["content"][0] == thinking
    agent.say("And?")
    assert agent.text() == "Two."


@pytest.mark.parametrize("interleave", [False, True])
def test_an_openai_stream_has_its_calls_in_turns_where_it_is_asked_to(
    scripted: Start, interleave: bool
) -> None:
    step = one(thinking="Hm.", text="I read it.", calls=TWO_CALLS, chunk=4, interleave=interleave)
    events = stream(scripted(step), "openai").events
    assert events[-1] == "[DONE]"
    assert events[-2]["choices"] == []
    assert events[-2]["usage"]["prompt_tokens"] > 10
    assert events[-3]["choices"][0]["finish_reason"] == "tool_calls"
    deltas = [event["choices"][0]["delta"] for event in events[:-2]]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "Hm."
    assert "".join(delta.get("content", "") for delta in deltas) == "I read it."
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    order = [call["index"] for call in calls]
    assert (order == sorted(order)) is not interleave
    for index, planned in enumerate(TWO_CALLS):
        own = [call["function"] for call in calls if call["index"] == index]
        assert own[0]["name"] == planned["tool"]
        assert json.loads("".join(function["arguments"] for function in own)) == planned["input"]


def test_openai_usage_comes_only_where_it_was_asked_for(scripted: Start) -> None:
    events = stream(scripted(one(text="Yes.")), "openai", usage=False).events
    assert all("usage" not in event for event in events[:-1])
    assert events[-2]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("stop", "anthropic", "openai"),
    [
        ("end", "end_turn", "stop"),
        ("max_tokens", "max_tokens", "length"),
        ("refusal", "refusal", "content_filter"),
        ("stop_sequence", "stop_sequence", "stop"),
        ("pause", "pause_turn", "stop"),
        ("window", "model_context_window_exceeded", "length"),
    ],
)
def test_stop_reasons_are_the_protocols_own(scripted: Start, stop: str, anthropic: str, openai: str) -> None:
    server = scripted(one(text="x", stop=stop))
    assert stream(server, "anthropic").events[-2]["delta"]["stop_reason"] == anthropic
    assert stream(server, "openai").events[-3]["choices"][0]["finish_reason"] == openai


def test_planned_usage_is_reported_as_it_is(scripted: Start) -> None:
    planned = {"input": 100, "output": 20, "cache_read": 7, "cache_write": 3}
    server = scripted(one(text="x", usage=planned))
    start = stream(server, "anthropic").events[0]["message"]["usage"]
    assert start == {
        "input_tokens": 100,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": 7,
        "output_tokens": 1,
    }
    usage = stream(server, "openai").events[-2]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (110, 20, 130)


@pytest.mark.parametrize(
    ("fault", "protocol", "kind"),
    [
        ({"status": 429, "retry_after": 1.5}, "anthropic", "rate_limit_error"),
        ({"status": 529}, "anthropic", "overloaded_error"),
        ({"status": 500}, "anthropic", "api_error"),
        ({"status": 503}, "anthropic", "api_error"),
        ({"status": 401}, "anthropic", "authentication_error"),
        ({"status": 404, "kind": "gone_error"}, "anthropic", "gone_error"),
        ({"status": 429, "retry_after": 2}, "openai", "requests"),
        ({"status": 503}, "openai", "server_error"),
        ({"status": 401}, "openai", "invalid_request_error"),
    ],
)
def test_errors_have_the_providers_shape_and_are_no_failures(
    scripted: Start, fault: dict[str, Any], protocol: str, kind: str
) -> None:
    server = scripted({"agents": {"main": [{"error": fault}, {"text": "Back again."}]}})
    agent = Agent(server.url, protocol=protocol)
    response = agent.say("Go.")
    assert (response.status, response.json["error"]["type"]) == (fault["status"], kind)
    wait = fault.get("retry_after")
    assert response.headers.get("retry-after") == (None if wait is None else f"{wait:g}")
    agent.ask()
    assert agent.text() == "Back again."
    assert [record.outcome for record in server.log] == ["error", "answered"]
    server.assert_finished()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_can_come_in_the_middle_of_a_stream(scripted: Start, protocol: str) -> None:
    server = scripted(one(text="A long story.", chunk=2, error={"status": 529, "after": 4}))
    response = stream(server, protocol)
    assert (response.status, len(response.events)) == (200, 5)
    kind = {"anthropic": "overloaded_error", "openai": "server_error"}[protocol]
    assert response.events[-1]["error"]["type"] == kind
    assert (b"event: error" in response.body) == (protocol == "anthropic")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("cut", "broken"), [("drop", True), ("end", False)])
def test_a_stream_can_break_off_or_end_too_early(
    scripted: Start, protocol: str, cut: str, broken: bool
) -> None:
    server = scripted(
        {"agents": {"main": [{"text": "A story.", "cut_after": 3, "cut": cut}, {"text": "Again."}]}}
    )
    response = stream(server, protocol)
    assert (response.status, response.cut, len(response.events)) == (200, broken, 3)
    assert b"message_stop" not in response.body
    assert b"[DONE]" not in response.body
    whole = stream(server, protocol)
    assert not whole.cut
    assert [record.outcome for record in server.log] == ["cut", "answered"]


def test_a_whole_body_can_break_off_too(scripted: Start) -> None:
    server = scripted(one(text="A story.", cut_after=1))
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    response = agent.ask(store=False)
    assert response.cut
    assert response.body.startswith(b'{"id"')


def test_raw_bytes_leave_as_they_are_in_pieces(scripted: Start) -> None:
    raw = 'data: {"x": "ä"}\r\n\r\n: comment\n\nevent: ping\ndata: {}\n\n'
    server = scripted(
        {"agents": {"main": [{"raw_sse": raw, "pieces": 1}, {"raw_sse": raw, "pieces": [9, 4]}]}}
    )
    for _ in range(2):
        response = stream(server, "openai")
        assert response.body == raw.encode()
        assert not response.cut
    server.assert_finished()


def test_a_raw_stream_can_break_off(scripted: Start) -> None:
    server = scripted(one(raw_sse="data: 1\n\ndata: 2\n\ndata: 3\n\n", cut_after=2))
    response = stream(server, "openai")
    assert (response.cut, response.body) == (True, b"data: 1\n\ndata: 2\n\n")


def test_a_raw_body_has_its_own_status_and_headers(scripted: Start) -> None:
    page = {
        "raw_body": "<html>busy</html>",
        "status": 502,
        "headers": {"content-type": "text/html", "x-a": "1"},
    }
    response = stream(scripted(one(**page)), "anthropic")
    assert (response.status, response.body) == (502, b"<html>busy</html>")
    assert (response.headers["content-type"], response.headers["x-a"]) == ("text/html", "1")


def test_delays_come_before_the_first_event_and_between_events(scripted: Start) -> None:
    server = scripted(one(text="abcdef", chunk=2, first_token_delay_s=0.1, delta_delay_s=0.02))
    began = time.monotonic()
    events = stream(server, "openai", usage=False).events
    spent = time.monotonic() - began
    assert spent >= 0.1 + 0.02 * (len(events) - 1)
    record = server.log[0]
    assert record.first_byte is not None
    assert record.last_byte is not None
    assert record.last_byte - record.first_byte >= 0.1


def test_broken_arguments_stay_broken_on_both_protocols(scripted: Start) -> None:
    server = scripted(one(calls=[{"tool": "Bash", "raw": '{"a": '}]))
    anthropic = [event["delta"] for event in stream(server, "anthropic").events if "delta" in event]
    assert "".join(delta.get("partial_json", "") for delta in anthropic) == '{"a": '
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    assert agent.ask(store=False).json["content"][0]["input"] == '{"a": '
