"""What the server says of itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roocode.scripted.server import ScriptedServer
from tests.scripted.talk import get

Start = Callable[..., ScriptedServer]


def test_its_models_and_their_window(scripted: Start) -> None:
    server = scripted({"agents": {}, "models": ["a", "b"], "window": 4096})
    models = get(server.url, "/v1/models")["data"]
    assert [(model["id"], model["context_length"]) for model in models] == [("a", 4096), ("b", 4096)]
    assert server.log == []


def test_no_window_where_none_is_scripted(scripted: Start) -> None:
    [model] = get(scripted({"agents": {}, "models": ["a"]}).url, "/v1/models")["data"]
    assert "context_length" not in model


@pytest.mark.parametrize("path", ["/api/ps", "/api/v0/models", "/props"])
def test_it_is_no_server_of_another_kind_and_says_so_without_a_failure(scripted: Start, path: str) -> None:
    assert get(scripted({"agents": {}}).url, path) == {}
