from __future__ import annotations

from typing import Any

import pytest

from roocode.engine.models.endpoint import Endpoint
from roocode.protocol.errors import UserError


@pytest.mark.parametrize(
    "more",
    [
        {"base_url": "api.example.com"},
        {"base_url": "ftp://api.example.com"},
        {"base_url": "https://"},
        {"base_url": "http://[::1"},
        {"base_url": "http://h:99999"},
        {"base_url": ""},
        {"base_url": "https://me:pass-1234@api.example.com"},
        {"base_url": "https://api.example.com/v1?key=pass-1234"},
        {"api_key": "pass-1234\n"},
        {"api_key": " pass-1234"},
        {"api_key": "pass-1234é"},
        {"extra_headers": {"x-a": "pass-1234\r\nx-b: c"}},
        {"extra_headers": {"x-a": ""}},
    ],
)
def test_what_cannot_be_used_is_an_error_that_shows_no_secret(more: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        Endpoint(**{"provider": "p", "protocol": "openai", "base_url": "https://api.example.com", **more})
    assert "provider p" in caught.value.what
    assert caught.value.mend
    assert "pass-1234" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    shown = repr(Endpoint("p", "openai", "https://a.example", api_key="sk-1", extra_headers={"x-key": "k-2"}))
    assert "a.example" in shown
    assert "sk-1" not in shown
    assert "k-2" not in shown


@pytest.mark.parametrize(
    ("base_url", "path", "url"),
    [
        ("https://a.example", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/x/v1/", "/v1/messages", "https://a.example/x/v1/messages"),
        ("https://a.example/v1", "/chat/completions", "https://a.example/v1/chat/completions"),
    ],
)
def test_addresses(base_url: str, path: str, url: str) -> None:
    assert Endpoint("p", "anthropic", base_url).url(path) == url


@pytest.mark.parametrize(
    ("base_url", "loopback"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost", True),
        ("http://[::1]:9", True),
        ("http://127.0.0.1.example.com", False),
        ("http://10.0.0.1", False),
    ],
)
def test_servers_on_this_machine(base_url: str, loopback: bool) -> None:
    assert Endpoint("p", "openai", base_url).loopback is loopback
