"""What only the official SDKs' transport does; what both do stands in the contract test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.models.connect import connect
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.retry import RetryPolicy
from roocode.protocol.errors import ProviderBusy, UserError
from tests.engine.models.raw_server import Plan, RawServer
from tests.engine.models.shapes_anthropic import HELLO, HELLO_EVENTS
from tests.engine.models.shapes_openai import CHAT, CHAT_EVENTS
from tests.engine.models.wires import endpoint, request


async def ask(address: Endpoint) -> list[Any]:
    client = connect(address, RetryPolicy(tries=1))
    try:
        return [event async for event in client.stream(request(headers={"X-RooCode-Agent": "main"}))]
    finally:
        await client.close()


@pytest.mark.asyncio
async def test_the_sdk_sends_our_bytes_and_credentials() -> None:
    async with RawServer(Plan([HELLO]), Plan([HELLO]), Plan([CHAT]), Plan([CHAT])) as server:
        for protocol in ("anthropic", "openai"):
            for transport in ("http", "sdk"):
                await ask(endpoint(protocol, server.base_url, transport=transport))  # type: ignore[arg-type]
    for ours, theirs in (server.requests[:2], server.requests[2:]):
        assert ours.path == theirs.path
        assert ours.raw == theirs.raw
        names = ("x-api-key", "authorization", "anthropic-version", "x-roocode-agent", "content-type")
        assert [ours.headers.get(name) for name in names] == [theirs.headers.get(name) for name in names]


@pytest.mark.asyncio
async def test_the_sdk_does_not_retry() -> None:
    async with RawServer(Plan([b"{}"], 500, {"content-type": "application/json"})) as server:
        for protocol in ("anthropic", "openai"):
            with pytest.raises(ProviderBusy):
                await ask(endpoint(protocol, server.base_url, transport="sdk"))  # type: ignore[arg-type]
    assert len(server.requests) == 2


@pytest.mark.asyncio
async def test_azure_finds_the_model_in_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-01-01")
    async with RawServer(Plan([CHAT]), Plan([HELLO])) as server:
        azure = endpoint("openai", server.base_url, platform="azure")
        assert await ask(azure) == CHAT_EVENTS
        foundry = endpoint("anthropic", server.base_url, platform="azure")
        assert await ask(foundry) == HELLO_EVENTS
    first, second = server.requests
    assert first.path == "/openai/deployments/m-1/chat/completions?api-version=2026-01-01"
    assert first.headers["api-key"] == "sk-very-secret"
    assert second.path == "/v1/messages"
    assert second.headers["x-roocode-agent"] == "main"


@pytest.mark.asyncio
async def test_bedrock_and_vertex_take_their_own_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("CLOUD_ML_REGION", "europe-west1")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "project-1")
    async with RawServer(Plan([HELLO])) as server:
        for platform in ("bedrock", "vertex"):
            assert await ask(endpoint("anthropic", server.base_url, platform=platform)) == HELLO_EVENTS
    bedrock, vertex = server.requests
    assert bedrock.headers["authorization"] == vertex.headers["authorization"] == "Bearer sk-very-secret"
    assert "project-1" in vertex.path
    assert "m-1" in vertex.path


@pytest.mark.asyncio
async def test_a_profile_brings_address_and_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_PROFILE", "work")
    async with RawServer(Plan([HELLO])) as server:
        (tmp_path / "configs").mkdir()
        (tmp_path / "credentials").mkdir()
        config = {"authentication": {"type": "user_oauth"}, "base_url": server.base_url}
        (tmp_path / "configs" / "work.json").write_text(json.dumps(config))
        secret = tmp_path / "credentials" / "work.json"
        secret.write_text(json.dumps({"type": "oauth_token", "access_token": "from-the-profile"}))
        secret.chmod(0o600)
        assert await ask(Endpoint("anthropic", "anthropic", "", platform="profile")) == HELLO_EVENTS
    assert server.requests[0].headers["authorization"] == "Bearer from-the-profile"


@pytest.mark.parametrize(
    "address",
    [
        Endpoint("p", "openai", "", platform="bedrock"),
        Endpoint("p", "openai", "", platform="azure"),
        Endpoint("p", "anthropic", "", platform="azure"),
        Endpoint("p", "anthropic", "https://a.example", platform="profile", api_key="k"),
    ],
)
def test_what_is_not_set_up_is_an_error(address: Endpoint) -> None:
    with pytest.raises(UserError, match="provider p"):
        connect(address)
