"""The client over real sockets, mostly on the default transport."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from roocode.engine.models.client import Patience
from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import TransportName, WireName
from roocode.engine.models.retry import RetryPolicy
from roocode.engine.models.transport import LARGEST_ERROR
from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut, UserError
from roocode.protocol.models import Finished, ModelClient, ModelRequest, StreamEvent, TextDelta
from tests.engine.models.raw_server import Plan, RawServer
from tests.engine.models.shapes_anthropic import HELLO, HELLO_EVENTS
from tests.engine.models.shapes_openai import CHAT, CHAT_EVENTS
from tests.engine.models.wires import endpoint, request

LONG = Patience(begin_s=30, idle_s=30, rest_s=30)
JSON = {"content-type": "application/json"}
HALF = HELLO[: HELLO.index(b"event: message_stop")]
SETTLED = CHAT.replace(b"data: [DONE]\n\n", b"")


def client(
    server: RawServer, protocol: WireName = "anthropic", patience: Patience = LONG, **more: Any
) -> ModelClient:
    return connect(endpoint(protocol, server.base_url, **more), RetryPolicy(tries=1), patience)


async def ask(asked: ModelClient, sent: ModelRequest | None = None) -> list[Any]:
    try:
        return [event async for event in asked.stream(sent or request())]
    finally:
        await asked.close()


async def failure(plan: Plan, protocol: WireName = "anthropic", **more: Any) -> ProviderError:
    async with RawServer(plan) as server:
        with pytest.raises(ProviderError) as caught:
            await ask(client(server, protocol, **more))
    return caught.value


@pytest.mark.asyncio
async def test_what_is_sent() -> None:
    async with RawServer(Plan([HELLO])) as server:
        sent = request(headers={"X-RooCode-Agent": "main"})
        assert await ask(client(server, extra_headers={"x-team": "a"}), sent) == HELLO_EVENTS
    (seen,) = server.requests
    assert seen.path == "/v1/messages"
    assert seen.body["messages"][0]["role"] == "user"
    wanted = {
        "x-api-key": "sk-very-secret",
        "x-roocode-agent": "main",
        "x-team": "a",
        "anthropic-version": "2023-06-01",
    }
    assert wanted.items() <= seen.headers.items()


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
async def test_no_key_no_header(transport: TransportName, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    ):
        monkeypatch.setenv(name, "sk-from-the-environment")
    async with RawServer(Plan([HELLO]), Plan([CHAT])) as server:
        await ask(client(server, "anthropic", api_key=None, transport=transport))
        await ask(client(server, "openai", api_key=None, transport=transport))
    for seen in server.requests:
        assert not {"authorization", "x-api-key", "openai-organization", "openai-project"} & set(seen.headers)
        assert "sk-from-the-environment" not in seen.headers.values()


@pytest.mark.asyncio
async def test_turns_share_a_connection() -> None:
    async with RawServer(Plan([HELLO])) as server:
        asked = client(server)
        for _ in range(5):
            assert [event async for event in asked.stream(request())] == HELLO_EVENTS
        await asked.close()
    assert (len(server.requests), server.connections) == (5, 1)


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
async def test_cancelling_the_reader_closes_the_connection(transport: TransportName) -> None:
    async with RawServer(Plan([HALF], end="hold")) as server:
        asked = client(server, transport=transport)
        came = asyncio.Event()

        async def read() -> None:
            async for event in asked.stream(request()):
                if isinstance(event, TextDelta):
                    came.set()

        reading = asyncio.create_task(read())
        await came.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.wait_for(server.left.wait(), 5)
        await asked.close()


@pytest.mark.asyncio
async def test_cancelling_before_the_head_closes_the_connection() -> None:
    async with RawServer(Plan(end="silent")) as server:
        asked = client(server)
        reading = asyncio.create_task(ask(asked))
        await asyncio.wait_for(server.asked.wait(), 5)
        reading.cancel()
        await asyncio.wait_for(server.left.wait(), 5)
        with pytest.raises(asyncio.CancelledError):
            await reading


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["cut", "reset"])
async def test_a_connection_that_breaks_is_a_cut(end: Any) -> None:
    assert isinstance(await failure(Plan([HALF], end=end)), StreamCut)


@pytest.mark.asyncio
async def test_a_stream_that_falls_silent_is_a_cut() -> None:
    short = Patience(begin_s=30, idle_s=0.05)
    error = await failure(Plan([HALF], end="hold"), patience=short)
    assert isinstance(error, StreamCut)
    assert "nothing came for 0.05 seconds" in error.what


@pytest.mark.asyncio
async def test_a_server_that_never_answers_is_busy() -> None:
    error = await failure(Plan(end="silent"), patience=Patience(begin_s=0.05))
    assert isinstance(error, ProviderBusy)
    assert "no answer in 0.05 seconds" in error.what


@pytest.mark.asyncio
async def test_any_byte_keeps_a_stream_alive() -> None:
    async with RawServer(Plan([HALF, *[b": still here\n\n"] * 50, HELLO[len(HALF) :]])) as server:
        assert await ask(client(server, patience=Patience(idle_s=5))) == HELLO_EVENTS


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["hold", "cut", "reset", "endless"])
async def test_nothing_can_fail_an_answer_that_is_whole(end: Any) -> None:
    short = Patience(begin_s=30, idle_s=30, rest_s=0.05)
    for protocol, body, events in (("anthropic", HELLO, HELLO_EVENTS), ("openai", SETTLED, CHAT_EVENTS)):
        if end == "endless" and protocol == "openai":
            continue
        async with RawServer(Plan([body], end=end)) as server:
            assert await ask(client(server, protocol, short)) == events  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_a_field_that_is_refused_is_left_out() -> None:
    refusal = b'{"error": {"message": "Unknown parameter: stream_options", "type": "invalid_request_error"}}'
    async with RawServer(Plan([refusal], 400, JSON), Plan([CHAT])) as server:
        asked = client(server, "openai")
        assert [event async for event in asked.stream(request())] == CHAT_EVENTS
        assert await ask(asked) == CHAT_EVENTS
    assert ["stream_options" in seen.body for seen in server.requests] == [True, False, False]


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
async def test_an_error_is_read_as_far_as_it_is_of_use(transport: TransportName) -> None:
    plan = Plan([b"no" * LARGEST_ERROR], 500, {"content-type": "text/plain"}, end="endless")
    error = await asyncio.wait_for(failure(plan, transport=transport), 10)
    assert isinstance(error, ProviderBusy)
    assert len(error.what) < 1000


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
async def test_statuses(transport: TransportName) -> None:
    body = b'{"error": {"type": "x", "message": "slow down"}}'
    error = await failure(Plan([body], 429, {**JSON, "retry-after": "7"}), transport=transport)
    assert (type(error), error.status, error.retry_after) == (ProviderBusy, 429, 7)
    assert "slow down" in error.what
    error = await failure(Plan([body], 401, JSON), transport=transport)
    assert (type(error), error.status) == (ProviderRefused, 401)
    assert "ANTHROPIC_API_KEY" in error.mend
    error = await failure(Plan([], 307, {"location": "https://elsewhere.example"}), transport=transport)
    assert (type(error), error.status) == (ProviderRefused, 307)
    assert "elsewhere.example" in error.what


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["http", "sdk"])
async def test_a_server_that_is_not_there_is_busy(transport: TransportName) -> None:
    async with RawServer(Plan()) as server:
        pass
    with pytest.raises(ProviderBusy, match="cannot be reached") as caught:
        await ask(client(server, transport=transport))
    assert caught.value.exit_code == 75
    assert "Start the server" in caught.value.mend


@pytest.mark.asyncio
async def test_an_address_that_no_host_can_have_is_refused() -> None:
    address = endpoint("anthropic", "http://\u00e9..example")
    with pytest.raises(ProviderRefused, match="cannot be asked"):
        await ask(connect(address, RetryPolicy(tries=1), LONG))
    with pytest.raises(UserError, match="not set up"):
        connect(replace(address, transport="sdk"))


@pytest.mark.asyncio
async def test_no_proxy_stands_before_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with RawServer(Plan([HELLO])) as server:
        assert await ask(client(server)) == HELLO_EVENTS


@pytest.mark.asyncio
async def test_a_proxy_stands_before_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async with RawServer(Plan([HELLO])) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        asked = connect(endpoint("anthropic", "http://models.example/base"), RetryPolicy(tries=1), LONG)
        assert await ask(asked) == HELLO_EVENTS
    assert proxy.requests[0].path == "http://models.example/base/v1/messages"


@pytest.mark.asyncio
async def test_a_failed_stream_is_tried_again() -> None:
    async with RawServer(Plan([HALF], end="cut"), Plan([HELLO])) as server:
        asked = connect(endpoint("anthropic", server.base_url), RetryPolicy(base_s=0.001), LONG)
        events = await ask(asked)
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("Retrying") < kinds.index("Finished")
    assert events[kinds.index("Retrying") + 1 :] == HELLO_EVENTS


@pytest.mark.asyncio
async def test_leaving_early_closes_the_connection() -> None:
    async with RawServer(Plan([HALF], end="hold")) as server:
        asked = client(server)
        events = asked.stream(request())
        assert isinstance(await anext(events), StreamEvent)
        await events.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.left.wait(), 5)
        await asked.close()


def test_the_last_event_is_finished() -> None:
    assert isinstance(HELLO_EVENTS[-1], Finished)
