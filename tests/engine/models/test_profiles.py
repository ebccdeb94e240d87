from __future__ import annotations

import pytest

from roocode.engine.models.adapting import adapted
from roocode.engine.models.endpoint import Endpoint, WireName
from roocode.engine.models.profiles import Profile, profile_of


def of(base_url: str, protocol: WireName = "openai") -> Profile:
    return profile_of(Endpoint("p", protocol, base_url))


def test_hosts_are_known_with_their_subdomains_and_no_others() -> None:
    assert of("https://api.openai.com/v1").limit_field == "max_completion_tokens"
    assert of("https://eu.api.openai.com/v1").limit_field == "max_completion_tokens"
    assert of("https://api.openai.com.example.net/v1") == Profile()
    assert of("https://notapi.openai.com/v1") == Profile()
    assert of("http://127.0.0.1:1/v1") == Profile()
    assert profile_of(Endpoint("p", "openai", "", platform="azure")).limit_field == "max_completion_tokens"


def test_one_host_may_speak_both_protocols() -> None:
    assert of("https://api.deepseek.com").reasoning_always
    assert of("https://api.deepseek.com/anthropic", "anthropic").unsigned_thinking


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("unknown field stream_options", Profile(include_usage=False)),
        ("use max_completion_tokens instead", Profile(limit_field="max_completion_tokens")),
        ("your prompt is too long", None),
    ],
)
def test_a_complaint_changes_what_it_names(words: str, changed: Profile | None) -> None:
    assert adapted(Profile(), words) == changed
