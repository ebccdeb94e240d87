from __future__ import annotations

import json
from dataclasses import replace

import pytest

from roocode.engine.models.adapting import adapted, changes_history
from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.connect import wire_of
from roocode.engine.models.effort import EffortForm
from roocode.engine.models.endpoint import WireName
from roocode.engine.models.failures import Failures
from roocode.engine.models.learned import applied, differences
from roocode.engine.models.profiles import Profile, profile_of
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, Text, Thinking, user
from tests.engine.models.wires import endpoint, request

CHAT = Profile()
ALWAYS = Profile(reasoning_always=True)
UNSENT = Profile(reasoning_field="")


@pytest.mark.parametrize(
    ("before", "words", "asked", "after"),
    [
        (CHAT, "Unknown parameter: 'reasoning_effort'", "reasoning_effort", replace(CHAT, efforts=())),
        (CHAT, "Unknown parameter: 'reasoning_effort'", None, None),
        (CHAT, "reasoning is not supported by this model", "reasoning_effort", replace(CHAT, efforts=())),
        (CHAT, "Missing `reasoning_content` field in the assistant message", None, ALWAYS),
        (UNSENT, "reasoning_content must be passed back", None, ALWAYS),
        (ALWAYS, "reasoning_content must be passed back", None, None),
        (CHAT, "invalid request: `reasoning_content` is missing in message 2", None, ALWAYS),
        (CHAT, "unexpected error: reasoning_content is required", None, ALWAYS),
        (ALWAYS, "invalid request: `reasoning_content` is missing in message 2", None, None),
        (ALWAYS, "reasoning_content is not supported, and not required", None, UNSENT),
        (CHAT, "messages.1.reasoning_content: Extra inputs are not permitted", None, UNSENT),
        (UNSENT, "messages.1.reasoning_content: Extra inputs are not permitted", None, None),
        (
            replace(CHAT, reasoning_field="reasoning"),
            "Unknown field 'reasoning' in messages[2]",
            None,
            UNSENT,
        ),
        (CHAT, "Invalid `signature` in `thinking` block", None, replace(CHAT, signed_thinking=False)),
        (replace(CHAT, signed_thinking=False), "Invalid `signature` in `thinking` block", None, None),
        (
            CHAT,
            "Unknown parameter: 'prompt_cache_key'",
            None,
            replace(CHAT, dropped=frozenset({"prompt_cache_key"})),
        ),
        (CHAT, "unsupported field store", None, replace(CHAT, dropped=frozenset({"store"}))),
        (CHAT, "go to the store and include a phase", None, None),
        (CHAT, "your prompt is too long", "reasoning_effort", None),
    ],
)
def test_a_refusal_changes_what_it_names(
    before: Profile, words: str, asked: EffortForm | None, after: Profile | None
) -> None:
    assert adapted(before, words, asked) == after


def test_only_what_was_sent_before_can_change_the_history() -> None:
    assert changes_history(CHAT, ALWAYS)
    assert changes_history(CHAT, replace(CHAT, signed_thinking=False))
    assert not changes_history(CHAT, replace(CHAT, include_usage=False, efforts=()))


def test_a_signature_that_is_refused_is_left_out_of_the_whole_history() -> None:
    address = endpoint("anthropic")
    wire = AnthropicWire(address, profile_of(address))
    said = Message("assistant", (Thinking("hm", "S", origin="anthropic"), Text("a")))
    asked = request(messages=(user("hi"), said, user("on")))
    assert b'"S"' in wire.body(asked)
    assert wire.asking.adapt(ProviderRefused("messages.1.content.0: Invalid `signature` in `thinking` block"))
    assert json.loads(wire.body(asked))["messages"][1]["content"] == [{"type": "text", "text": "a"}]


PROTOCOLS: tuple[WireName, ...] = ("anthropic", "openai", "openai-responses")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("model", ["kimi-k2-thinking", "moonshotai/Kimi-K2-Thinking"])
def test_the_names_of_model_and_host_are_no_fields(protocol: WireName, model: str) -> None:
    address = endpoint(protocol, "https://reasoning.example.com/v1")
    wire = wire_of(address, profile_of(address), "low")
    wire.body(request(model=model))
    failures = Failures(address, model)
    for words in ("no model kimi-k2-thinking", "unknown parameter: 'temperature'"):
        refusal = failures.of_status(400, {}, json.dumps({"error": words}).encode())
        assert isinstance(refusal, ProviderRefused)
        assert not wire.asking.adapt(refusal)
    refusal = failures.of_status(
        400, {}, b'{"error": "kimi-k2-thinking does not support thinking, reasoning"}'
    )
    assert isinstance(refusal, ProviderRefused)
    assert wire.asking.adapt(refusal)


def test_an_effort_that_was_not_asked_for_is_not_what_was_refused() -> None:
    address = endpoint("anthropic")
    wire = AnthropicWire(address, profile_of(address), "low")
    assert "thinking" not in json.loads(wire.body(request(max_tokens=100)))
    assert not wire.asking.adapt(ProviderRefused("thinking: not supported"))


@pytest.mark.parametrize(
    "after",
    [
        CHAT,
        Profile(limit_field="max_completion_tokens", include_usage=False, reasoning_field="", efforts=()),
        Profile(reasoning_field="reasoning", reasoning_always=True, unsigned_thinking=True),
        Profile(signed_thinking=False, cache_key=True, phases=True, text_calls=True),
        Profile(dropped=frozenset({"store", "include"}), efforts=("reasoning",)),
    ],
)
def test_what_was_learned_comes_back_from_json(after: Profile) -> None:
    learned = json.loads(json.dumps(differences(CHAT, after)))
    assert applied(CHAT, learned) == after
    assert (learned == {}) == (after == CHAT)


def test_what_is_not_of_its_kind_is_passed_over() -> None:
    foreign = {
        "limit_field": "x",
        "include_usage": 1,
        "efforts": ["x"],
        "dropped": [1],
        "call_id": ".*",
        "new": 1,
    }
    assert applied(CHAT, foreign) == replace(CHAT, efforts=())
    assert applied(CHAT, {"efforts": "x", "dropped": 3}) == CHAT
