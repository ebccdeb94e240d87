from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.effort import EffortForm, Thinks, form_for, params, thinks
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.profiles import profile_of
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, reminder, user
from roocode.protocol.models import EFFORTS, Effort
from tests.engine.models.wires import endpoint, request


@pytest.mark.parametrize(
    ("model", "style"),
    [
        ("claude-3-5-sonnet-20241022", "never"),
        ("claude-3-7-sonnet-latest", "budget"),
        ("claude-sonnet-4-20250514", "budget"),
        ("claude-opus-4-1-20250805", "budget"),
        ("claude-haiku-4-5", "budget"),
        ("claude-opus-4-5@20251101", "budget"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "budget"),
        ("claude-opus-4-6", "adaptive"),
        ("claude-sonnet-5-5", "adaptive"),
        ("anthropic/claude-opus-5", "adaptive"),
        ("gpt-4.1-mini", "never"),
        ("gpt-4o", "never"),
        ("gpt-5", "effort"),
        ("openai/gpt-6.1-sol", "effort"),
        ("openai.gpt-5.6-luna", "effort"),
        ("gpt-oss-120b", "effort"),
        ("o4-mini", "effort"),
        ("qwen3-coder", "unknown"),
        ("foo1", "unknown"),
    ],
)
def test_what_a_model_can_be_asked_for(model: str, style: Thinks) -> None:
    assert thinks(model) == style


@pytest.mark.parametrize(
    ("effort", "form", "model", "limit", "asked"),
    [
        ("off", "adaptive", "m", 9, {"thinking": {"type": "disabled"}}),
        ("off", "budget", "claude-opus-4-5", 9, {}),
        ("off", "budget", "m", 9, {"thinking": {"type": "disabled"}}),
        ("low", "budget", "m", 32_000, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("high", "budget", "m", 8192, {"thinking": {"type": "enabled", "budget_tokens": 6144}}),
        ("high", "budget", "m", 1300, {}),
        ("off", "reasoning_effort", "gpt-5-mini", 9, {"reasoning_effort": "minimal"}),
        ("off", "reasoning_effort", "gpt-5.1", 9, {"reasoning_effort": "none"}),
        ("off", "reasoning_effort", "o3", 9, {"reasoning_effort": "low"}),
        ("high", "reasoning", "m", 9, {"reasoning": {"effort": "high"}}),
    ],
)
def test_forms(effort: Effort, form: EffortForm, model: str, limit: int, asked: dict[str, Any]) -> None:
    assert params(effort, form, model, limit) == asked


def test_an_adaptive_model_is_asked_to_show_what_it_thinks() -> None:
    asked = params("medium", "adaptive", "m", 9)
    assert asked["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert asked["output_config"] == {"effort": "medium"}


def test_the_form_is_the_models_where_the_endpoint_takes_it() -> None:
    assert form_for("claude-opus-5", ("budget", "adaptive")) == "adaptive"
    assert form_for("claude-opus-5", ("budget",)) == "budget"
    assert form_for("m", ("budget", "adaptive")) == "budget"
    assert form_for("claude-3-haiku", ("budget",)) is None
    assert form_for("m", ()) is None


def anthropic(effort: Effort, **more: Any) -> AnthropicWire:
    address = endpoint("anthropic", **more)
    return AnthropicWire(address, profile_of(address), effort)


def thinking(wire: AnthropicWire, **more: Any) -> Any:
    return json.loads(wire.body(request(**more))).get("thinking")


def test_a_refused_form_is_followed_by_the_next_and_then_by_none() -> None:
    wire = anthropic("low")
    assert thinking(wire)["type"] == "enabled"
    assert wire.asking.adapt(ProviderRefused("`thinking.type.enabled` is not supported, use adaptive"))
    assert thinking(wire)["type"] == "adaptive"
    assert wire.asking.adapt(ProviderRefused("output_config: Extra inputs are not permitted"))
    assert thinking(wire) is None
    assert not wire.asking.adapt(ProviderRefused("thinking: not supported"))


@pytest.mark.parametrize("effort", EFFORTS)
def test_no_budget_in_a_run_of_calls_that_began_without_thinking(effort: Effort) -> None:
    call, result = ToolCall("a", "ReadFile", {}), Message("user", (ToolResult("a", "x"),))
    began = (user("go"), Message("assistant", (call,)), result)
    foreign = (user("go"), Message("assistant", (Thinking("hm", "S", origin="other"), call)), result)
    own = (user("go"), Message("assistant", (Thinking("hm", "S", origin="anthropic"), call)), result)
    wire = anthropic(effort)
    for history in (began, foreign):
        asked = thinking(wire, messages=history)
        assert asked is None or asked["type"] == "disabled"
    assert (thinking(wire, messages=own)["type"] == "enabled") == (effort != "off")
    assert (thinking(wire, messages=(*began, Message("assistant", (Text("b"),)), user("on")))) is not None


def test_in_a_run_of_calls_each_answer_to_words_must_be_thought() -> None:
    def step(name: str, *thoughts: Thinking, words: tuple[Text, ...] = ()) -> tuple[Message, Message]:
        said = Message("assistant", (*thoughts, ToolCall(name, "ReadFile", {})))
        return said, Message("user", (ToolResult(name, "x"), *words))

    def budget(*steps: tuple[Message, Message]) -> bool:
        history = (user("go"), *itertools.chain(*steps))
        return thinking(anthropic("low"), messages=history) is not None

    thought, words = Thinking("hm", "S", origin="anthropic"), (reminder("soon"),)
    assert budget(step("a", thought), step("b"), step("c"))
    assert not budget(step("a"), step("b", thought))
    assert not budget(step("a", thought, words=words), step("b"))
    assert budget(step("a", thought, words=words), step("b", thought))
    assert not budget(step("a", words=words))


def test_chat_without_an_effort_asks_for_none() -> None:
    address = endpoint("openai")
    assert b"effort" not in ChatWire(address, profile_of(address)).body(request())
