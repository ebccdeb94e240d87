"""The quirks of endpoints, as one table: parsers know none of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from roocode.engine.models.endpoint import Endpoint
from roocode.protocol.frozen import frozen

_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
_OPENAI_ID = re.compile(r"[\x21-\x7e]{1,40}")
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


@frozen
class Profile:
    """What an endpoint needs in a request.

    `limit_field` names the output limit. `include_usage` asks for a usage chunk. `reasoning_field` is where
    earlier reasoning is sent back ("" for nowhere), `reasoning_always` sends it with every call, even empty:
    the endpoint refuses a history that lacks it. `unsigned_thinking` sends thinking back that carries no
    signature. `call_id` matches the call ids that the endpoint takes.
    """

    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    include_usage: bool = True
    reasoning_field: str = "reasoning_content"
    reasoning_always: bool = False
    unsigned_thinking: bool = False
    call_id: re.Pattern[str] = _OPENAI_ID


_OPENAI = Profile(limit_field="max_completion_tokens", reasoning_field="")
_ECHOES_REASONING = Profile(reasoning_field="reasoning")
_NEEDS_REASONING = Profile(reasoning_always=True)

_OPENAI_HOSTS: tuple[tuple[str, Profile], ...] = (
    ("api.openai.com", _OPENAI),
    ("openai.azure.com", _OPENAI),
    ("services.ai.azure.com", _OPENAI),
    ("api.mistral.ai", Profile(reasoning_field="", call_id=_MISTRAL_ID)),
    ("openrouter.ai", _ECHOES_REASONING),
    ("api.groq.com", _ECHOES_REASONING),
    ("api.cerebras.ai", _ECHOES_REASONING),
    ("api.deepseek.com", _NEEDS_REASONING),
    ("api.moonshot.ai", _NEEDS_REASONING),
    ("api.moonshot.cn", _NEEDS_REASONING),
)

_ANTHROPIC = Profile(call_id=_ANTHROPIC_ID)
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
    if endpoint.protocol == "anthropic":
        return _by_host(endpoint.host, _ANTHROPIC_HOSTS, _ANTHROPIC)
    if endpoint.platform == "azure":
        return _OPENAI
    return _by_host(endpoint.host, _OPENAI_HOSTS, Profile())


def adapted(profile: Profile, complaint: str) -> Profile | None:
    """The profile after a 400 whose words name a field that is not taken there; None if they do not."""
    if profile.include_usage and "stream_options" in complaint:
        return replace(profile, include_usage=False)
    if "max_completion_tokens" in complaint:
        other: Literal["max_tokens", "max_completion_tokens"] = (
            "max_completion_tokens" if profile.limit_field == "max_tokens" else "max_tokens"
        )
        return replace(profile, limit_field=other)
    return None


def _by_host(host: str, table: tuple[tuple[str, Profile], ...], otherwise: Profile) -> Profile:
    for known, profile in table:
        if host == known or host.endswith(f".{known}"):
            return profile
    return otherwise
