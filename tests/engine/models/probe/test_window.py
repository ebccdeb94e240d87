from __future__ import annotations

import json
from typing import Any

import pytest

from roocode.engine.models.endpoint import Endpoint, WireName
from roocode.engine.models.probe.window import Window, stated_window, window_in
from tests.engine.models.raw_server import Plan, RawServer

JSON = {"content-type": "application/json"}
NOT_THERE = Plan([b"{}"], 404, JSON)


@pytest.mark.parametrize(
    ("answer", "size"),
    [
        ({"models": [{"name": "m", "context_length": 4096}]}, 4096),
        ({"data": [{"id": "other", "context_length": 1}, {"id": "m", "max_model_len": 8192}]}, 8192),
        ({"data": [{"id": "m", "loaded_context_length": 4096, "max_context_length": 131072}]}, 4096),
        ({"data": [{"id": "m", "max_context_length": 131072}]}, 131072),
        ({"data": [{"id": "m", "meta": {"n_ctx_train": 32768}}]}, 32768),
        ({"data": [{"id": "m", "meta": {"n_ctx": 4096, "n_ctx_train": 32768}}]}, 4096),
        ({"default_generation_settings": {"n_ctx": 2048}}, 2048),
        ({"data": [{"id": "m", "top_provider": {"context_length": 65536}}]}, 65536),
        ({"models": [{"name": "m:latest", "model": "m:latest", "context_length": 4096}]}, 4096),
        ({"models": [{"name": "m:8b", "context_length": 4096}]}, None),
        ({"data": [{"id": "other", "context_length": 1}]}, None),
        ({"data": [{"id": "m", "context_length": True}]}, None),
        ({"data": [{"id": "m", "context_length": -1}]}, None),
        ({"data": {}}, None),
        ([], None),
        (None, None),
    ],
)
def test_what_servers_say_of_their_window(answer: Any, size: int | None) -> None:
    assert window_in(answer, "m") == size


def test_the_latest_of_a_model_is_the_model() -> None:
    assert window_in({"models": [{"name": "m", "context_length": 4096}]}, "m:latest") == 4096


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("protocol", "base", "path"),
    [
        ("openai", "/v1", "/v1/models"),
        ("openai", "/v1beta/openai/", "/v1beta/openai/models"),
        ("openai-responses", "/api/paas/v4", "/api/paas/v4/models"),
        ("anthropic", "", "/v1/models"),
        ("anthropic", "/anthropic", "/anthropic/v1/models"),
    ],
)
async def test_the_list_of_models_is_beside_the_requests(protocol: WireName, base: str, path: str) -> None:
    listed = Plan([b'{"data": [{"id": "m", "context_length": 9}]}'], headers=JSON)
    async with RawServer(*[NOT_THERE] * 3, listed) as server:
        address = Endpoint("own", protocol, f"{server.base_url}{base}")
        assert await stated_window(address, "m", {}) == Window(9, path)
    assert server.requests[-1].path == path


@pytest.mark.asyncio
async def test_a_local_server_is_asked_in_the_ways_of_local_servers_first() -> None:
    loaded = json.dumps({"models": [{"name": "m", "context_length": 4096}]}).encode()
    async with RawServer(Plan([loaded], headers=JSON)) as server:
        address = Endpoint("ollama", "openai", f"{server.base_url}/v1")
        assert await stated_window(address, "m", {}) == Window(4096, "/api/ps")
    assert [request.path for request in server.requests] == ["/api/ps"]


@pytest.mark.asyncio
async def test_the_list_of_models_is_asked_last() -> None:
    listed = Plan([b'{"data": [{"id": "m", "context_length": 9}]}'], headers=JSON)
    async with RawServer(NOT_THERE, Plan([b"no"]), NOT_THERE, listed) as server:
        address = Endpoint("own", "anthropic", server.base_url)
        assert await stated_window(address, "m", {"x-api-key": "k"}) == Window(9, "/v1/models")
    assert [request.path for request in server.requests] == [
        "/api/ps",
        "/api/v0/models",
        "/props",
        "/v1/models",
    ]
    assert server.requests[-1].headers["x-api-key"] == "k"


@pytest.mark.asyncio
async def test_a_server_that_cannot_be_asked_names_none() -> None:
    async with RawServer(NOT_THERE) as server:
        pass
    assert await stated_window(Endpoint("own", "openai", f"{server.base_url}/v1"), "m", {}) is None
    assert await stated_window(Endpoint("own", "anthropic", "", platform="bedrock"), "m", {}) is None
