"""How much a server really takes: what it says of itself, where it says so.

Sources: the servers' own pages on `/api/ps` (Ollama), `/api/v0/models` (LM Studio), `/props` (llama.cpp),
`/v1/models` with `max_model_len` (vLLM) or `context_length` (OpenRouter).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from roocode.engine.models import loose
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.http_client import new_client
from roocode.protocol.frozen import frozen

_PATIENCE_S = 5.0
_LOCAL = ("/api/ps", "/api/v0/models", "/props")
_LATEST = ":latest"
_LOADED = ("loaded_context_length", "context_length", "max_model_len", "context_window", "n_ctx")
_STATED = ("max_context_length", "max_input_tokens", "n_ctx_train")


@frozen
class Window:
    """Tokens, and where the number is from."""

    tokens: int
    source: str


async def stated_window(endpoint: Endpoint, model: str, headers: Mapping[str, str]) -> Window | None:
    """The window that the server names for the model; None where it names none or cannot be asked.

    A server on this machine is asked in the ways of local servers first: they tell what is loaded.
    """
    if endpoint.platform != "direct" or not endpoint.base_url:
        return None
    client = new_client(endpoint)
    try:
        for url in _addresses(endpoint):
            if window := window_in(await _get(client, url, headers), model):
                return Window(window, urlsplit(url).path)
    finally:
        await client.aclose()
    return None


def window_in(value: Any, model: str) -> int | None:
    """The window in an answer: of the entry with the model's name, or of the one thing that is described."""
    entry = _entry(value, model)
    for names in (_LOADED, _STATED):
        for source in _places(entry):
            for name in names:
                size = source.get(name)
                if isinstance(size, int) and not isinstance(size, bool) and size > 0:
                    return size
    return None


def _addresses(endpoint: Endpoint) -> list[str]:
    listed = endpoint.url("/v1/models" if endpoint.protocol == "anthropic" else "/models")
    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    return [*(root + path for path in _LOCAL if endpoint.loopback), listed]


async def _get(client: httpx2.AsyncClient, url: str, headers: Mapping[str, str]) -> Any:
    try:
        response = await client.get(url, headers=dict(headers), timeout=_PATIENCE_S)
        return response.json() if response.is_success else None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError):
        return None


def _entry(value: Any, model: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        return {}
    for listed in (value.get("data"), value.get("models")):
        if isinstance(listed, list):
            entries = [entry for entry in listed if isinstance(entry, dict)]
            return next((entry for entry in entries if _names(entry, model)), {})
    return value


def _names(entry: Mapping[str, Any], model: str) -> bool:
    """Whether the entry is this model's: Ollama lists as `:latest` what has no tag."""
    names = (loose.text(entry.get(key)).removesuffix(_LATEST) for key in ("id", "name", "model", "key"))
    return model.removesuffix(_LATEST) in names


def _places(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield entry
    for name in ("meta", "default_generation_settings", "top_provider", "limits"):
        inner = entry.get(name)
        if isinstance(inner, dict):
            yield inner
