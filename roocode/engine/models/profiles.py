"""The quirks of endpoints, as one table: parsers know none of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from roocode.engine.models.effort import EffortForm
from roocode.engine.models.endpoint import Endpoint
from roocode.protocol.frozen import frozen

_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
_OPENAI_ID = re.compile(r"[\x21-\x7e]{1,40}")
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


@frozen
class Profile:
    """What an endpoint needs in a request, and how it answers.

    `limit_field` names the output limit. `include_usage` asks for a usage chunk. `reasoning_field` is where
    earlier reasoning is sent back ("" for nowhere), `reasoning_always` sends it with every call, even empty:
    the endpoint refuses a history that lacks it. `unsigned_thinking` sends thinking back that carries no
    signature, `signed_thinking` what it signed itself. `call_id` matches the call ids that the endpoint
    takes. `efforts` are the forms in which it takes an effort, `cache_key` says that it takes the session
    as a key of its cache, `phases` that it marks commentary and final answer. `dropped` are optional fields
    that it refused. `text_calls` reads calls that a model prints as text.
    """

    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    include_usage: bool = True
    reasoning_field: str = "reasoning_content"
    reasoning_always: bool = False
    unsigned_thinking: bool = False
    signed_thinking: bool = True
    call_id: re.Pattern[str] = _OPENAI_ID
    efforts: tuple[EffortForm, ...] = ("reasoning_effort",)
    cache_key: bool = False
    phases: bool = False
    dropped: frozenset[str] = frozenset()
    text_calls: bool = False


_OPENAI = Profile(limit_field="max_completion_tokens", reasoning_field="", cache_key=True)
_AZURE = replace(_OPENAI, cache_key=False)
_ECHOES_REASONING = Profile(reasoning_field="reasoning")
_NEEDS_REASONING = Profile(reasoning_always=True)

_OPENAI_HOSTS: tuple[tuple[str, Profile], ...] = (
    ("api.openai.com", _OPENAI),
    ("openai.azure.com", _AZURE),
    ("services.ai.azure.com", _AZURE),
    ("api.mistral.ai", Profile(reasoning_field="", call_id=_MISTRAL_ID)),
    ("openrouter.ai", replace(_ECHOES_REASONING, efforts=("reasoning",))),
    ("api.groq.com", _ECHOES_REASONING),
    ("api.cerebras.ai", _ECHOES_REASONING),
    ("api.deepseek.com", _NEEDS_REASONING),
    ("api.moonshot.ai", _NEEDS_REASONING),
    ("api.moonshot.cn", _NEEDS_REASONING),
)

_RESPONSES = Profile(reasoning_field="", efforts=("reasoning",))

_RESPONSES_HOSTS: tuple[tuple[str, Profile], ...] = (
    ("api.openai.com", replace(_RESPONSES, cache_key=True, phases=True)),
    ("api.deepseek.com", replace(_RESPONSES, unsigned_thinking=True)),
)

_ANTHROPIC = Profile(call_id=_ANTHROPIC_ID, efforts=("budget", "adaptive"))
_THINKS_UNSIGNED = replace(_ANTHROPIC, unsigned_thinking=True)

_ANTHROPIC_HOSTS: tuple[tuple[str, Profile], ...] = (
    ("api.deepseek.com", _THINKS_UNSIGNED),
    ("api.moonshot.ai", _THINKS_UNSIGNED),
    ("api.moonshot.cn", _THINKS_UNSIGNED),
    ("api.minimax.io", _THINKS_UNSIGNED),
    ("api.z.ai", _THINKS_UNSIGNED),
)


def profile_of(endpoint: Endpoint) -> Profile:
    """What is known of this endpoint, by its host; for an unknown one what most of them take."""
    match endpoint.protocol:
        case "anthropic":
            return _by_host(endpoint.host, _ANTHROPIC_HOSTS, _ANTHROPIC)
        case "openai-responses":
            return _by_host(endpoint.host, _RESPONSES_HOSTS, _RESPONSES)
        case "openai":
            azure = endpoint.platform == "azure"
            return _AZURE if azure else _by_host(endpoint.host, _OPENAI_HOSTS, Profile())


def _by_host(host: str, table: tuple[tuple[str, Profile], ...], otherwise: Profile) -> Profile:
    for known, profile in table:
        if host == known or host.endswith(f".{known}"):
            return profile
    return otherwise
