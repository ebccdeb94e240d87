"""The server itself: connections, control paths, the log, keys, and clients that go away."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.log import key_digest
from roocode.scripted.server import ScriptedServer, running, serve
from tests.scripted.talk import Agent, get, post

Start = Callable[..., ScriptedServer]
YES: dict[str, Any] = {"agents": {"main": [{"always": True, "text": "Yes."}]}}


def eventually(holds: Callable[[], object]) -> None:
    """Looks every 5 ms for at most five seconds whether a condition holds."""
    deadline = time.monotonic() + 5
    pulse = threading.Event()
    while not holds():
        assert time.monotonic() < deadline
        pulse.wait(0.005)


def test_one_connection_carries_many_requests(scripted: Start) -> None:
    server = scripted(YES)
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go. " * 300_000}])
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.connect()
    first = connection.sock
    for stream in (False, True, False):
        body = json.dumps({**agent.body(), "stream": stream})
        connection.request("POST", "/v1/messages", body, agent.headers())
        response = connection.getresponse()
        assert (response.status, b"Yes." in response.read()) == (200, True)
    assert connection.sock is first
    connection.close()
    assert len(server.log[0].raw) > 1_000_000


def test_the_log_tells_who_asked_when_and_with_what(scripted: Start) -> None:
    server = scripted(YES)
    agent = Agent(server.url, name="main", session="s1", team="t1")
    before = time.monotonic()
    agent.say("Go.")
    record = server.log[0]
    assert (record.sender.agent, record.sender.session, record.sender.team) == ("main", "s1", "t1")
    assert (record.protocol, record.model, record.step) == ("anthropic", "model-1", "step 1")
    assert (record.outcome, record.status, record.failure) == ("answered", 200, "")
    assert record.first_byte is not None
    assert record.last_byte is not None
    assert before < record.received < record.first_byte <= record.last_byte < time.monotonic()
    assert record.sent_bytes > 100
    assert record.body["messages"] == [{"role": "user", "content": "Go."}]


def test_the_log_is_there_for_other_processes(scripted: Start) -> None:
    server = scripted({"agents": {"main": [{"text": "Yes."}, {"text": "Never."}]}}, expects_failures=True)
    Agent(server.url, session="s1").say("Go.")
    Agent(server.url, name="nobody").say("Go.")
    shown = get(server.url, "/control/log")
    good, bad = shown["requests"]
    assert (good["agent"], good["session"], good["outcome"]) == ("main", "s1", "answered")
    assert good["body"]["messages"][0]["content"] == "Go."
    assert abs(good["received_wall"] - time.time()) < 60
    assert bad["outcome"] == "unexpected"
    assert shown["failures"] == server.failures
    assert shown["unplayed"] == ["main step 2"]
    assert get(server.url, "/control/health") == {"requests": 2, "failures": server.failures, "ok": False}
    assert "error" in get(server.url, "/control/other")


@pytest.mark.parametrize("header", [{"x-api-key": "secret"}, {"authorization": "Bearer secret"}])
def test_keys_are_checked_and_never_logged(scripted: Start, header: dict[str, str]) -> None:
    server = scripted({**YES, "keys": ["secret"], "models": ["model-1"]})
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    path = "/v1/messages"
    assert post(server.url, path, agent.body(), {**agent.headers(), **header}).status == 200
    wrong = post(server.url, path, agent.body(), {**agent.headers(), "x-api-key": "other"})
    assert (wrong.status, wrong.json["error"]["type"]) == (401, "authentication_error")
    unknown = post(server.url, path, {**agent.body(), "model": "m2"}, {**agent.headers(), **header})
    assert (unknown.status, unknown.json["error"]["type"]) == (404, "not_found_error")
    assert server.log[0].key == key_digest("secret")
    assert server.log[1].key == key_digest("other")
    assert "secret" not in json.dumps([record.as_json() for record in server.log])


def test_no_key_is_no_digest(scripted: Start) -> None:
    server = scripted(YES)
    Agent(server.url).say("Go.")
    assert server.log[0].key == ""


@pytest.mark.parametrize(
    ("path", "body", "status", "failure"),
    [
        ("/v1/v1/messages", {}, 404, "there is no POST /v1/v1/messages here"),
        ("/messages", {}, 404, "there is no POST /messages here"),
        ("/v1/messages", b"{", 400, "the body is not JSON"),
        ("/v1/chat/completions", [], 400, "the body must be an object"),
        ("/v1/messages", {"messages": "hello"}, 400, "with an array of messages"),
    ],
)
def test_what_is_no_request_fails_loudly(
    scripted: Start, path: str, body: Any, status: int, failure: str
) -> None:
    server = scripted(YES, expects_failures=True)
    assert post(server.url, path, body).status == status
    assert failure in server.failures[0]


@pytest.mark.parametrize(
    "raw",
    [
        b"hello\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(scripted: Start, raw: bytes) -> None:
    server = scripted(YES, expects_failures=True)
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
        client.sendall(raw)
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert "not HTTP" in server.failures[0]


def test_a_client_that_goes_away_is_noted_and_its_step_is_played_again(scripted: Start) -> None:
    server = scripted({"agents": {"main": [{"text": "abc", "chunk": 1, "delta_delay_s": 0.05}]}})
    agent = Agent(server.url, extra={"stream": True}, messages=[{"role": "user", "content": "Go."}])
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("POST", "/v1/messages", json.dumps(agent.body()), agent.headers())
    response = connection.getresponse()
    assert response.read(5) == b"event"
    response.close()
    connection.close()
    eventually(lambda: server.log[0].outcome == "client gone")
    assert b"message_stop" in agent.ask(store=False).body
    assert [record.step for record in server.log] == ["step 1", "step 1"]


def test_a_client_that_goes_away_while_its_answer_is_held_is_noted(scripted: Start) -> None:
    server = scripted({"agents": {"main": [{"text": "x", "first_token_delay_s": 60}]}})
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("POST", "/v1/messages", json.dumps(agent.body()), agent.headers())
    eventually(lambda: server.log and server.log[0].step)
    connection.close()
    eventually(lambda: server.log[0].outcome == "client gone")
    assert server.log[0].sent_bytes == 0


@pytest.mark.asyncio
async def test_it_runs_in_the_tests_own_event_loop() -> None:
    async with running(ScriptedServer(YES)) as server:
        agent = Agent(server.url)
        await asyncio.to_thread(agent.say, "Go.")
    assert agent.text() == "Yes."
    server.assert_finished()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.to_thread(agent.say, "Again.")


def test_stopping_ends_answers_under_way() -> None:
    with serve({"agents": {"main": [{"text": "x", "first_token_delay_s": 60}]}}) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
        connection.request("POST", "/v1/messages", json.dumps(agent.body()), agent.headers())
        eventually(lambda: server.log and server.log[0].step)
    with pytest.raises(ConnectionError):
        connection.getresponse()
    connection.close()


def test_many_clients_at_once_keep_their_own_places(scripted: Start) -> None:
    call = {"tool": "ReadFile", "input": {"x": "{{ play }}"}}
    server = scripted({"agents": {"main": [{"repeat": 5, "calls": [call]}, {"text": "End."}]}})

    async def one(session: str) -> list[int]:
        agent = Agent(server.url, session=session)
        await asyncio.to_thread(agent.say, "Go.")
        read = []
        while agent.calls():
            read += [call["input"]["x"] for call in agent.calls()]
            await asyncio.to_thread(agent.give, "content")
        return read

    async def all_of_them() -> list[list[int]]:
        return await asyncio.gather(*(one(f"s{number}") for number in range(8)))

    assert asyncio.run(all_of_them()) == [[0, 1, 2, 3, 4]] * 8
    server.assert_finished()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("", 200),
        ("Host: localhost:1\r\n", 200),
        ("Host: evil.example:80\r\n", 403),
        ("Host: 127.0.0.1.evil.example\r\n", 403),
        ("Host: [\r\n", 403),
        ("Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n", 403),
        ("Origin: null\r\n", 403),
    ],
)
def test_a_web_page_is_not_answered(scripted: Start, headers: str, status: int) -> None:
    """P30"""
    server = scripted(YES)
    agent = Agent(server.url, messages=[{"role": "user", "content": "Go."}])
    body = json.dumps({**agent.body(), "stream": False})
    head = f"POST /v1/messages HTTP/1.1\r\n{headers}x-api-key: k\r\nanthropic-version: 2023-06-01\r\n"
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
        client.sendall(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        assert client.makefile().readline().split()[1] == str(status)
