"""Whatever a conversation holds, what we send of it passes the checks of a strict provider."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.arguments import read_call
from roocode.engine.models.endpoint import WireName
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.openai_responses import ResponsesWire
from roocode.engine.models.profiles import profile_of
from roocode.protocol.messages import Message, Text, Thinking, ToolResult, user
from roocode.protocol.models import Effort
from roocode.scripted.anthropic import strict as anthropic_strict
from roocode.scripted.anthropic.strict import sign
from roocode.scripted.openai import strict as openai_strict
from roocode.scripted.responses import strict as responses_strict
from tests.engine.models.wires import endpoint, request

RESPONSES: WireName = "openai-responses"

words = st.text(max_size=6) | st.sampled_from(["", " ", "\n", "\x00", "Error: x"])
thoughts = (
    st.builds(lambda text: Thinking(text, sign(text), origin="anthropic"), words)
    | st.builds(lambda text: Thinking(text, f"rs_1 {sign(text.strip() and text)}", origin=RESPONSES), words)
    | st.builds(Thinking, words, origin=st.sampled_from(["", "openai", "elsewhere"]))
    | st.builds(Thinking, words, st.just("forged"), st.booleans(), st.just("elsewhere"))
)
raw_arguments = st.sampled_from(["", "{}", '{"path": "a"}', "{oops", "[1]", "null"])


@st.composite
def turns(draw: st.DrawFn) -> tuple[tuple[str, ...], list[tuple[str, str, str, bool]], list[Thinking], str]:
    calls = draw(st.lists(st.tuples(words, raw_arguments, words, st.booleans()), max_size=3))
    return draw(st.tuples(words, words)), calls, draw(st.lists(thoughts, max_size=2)), draw(words)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Message, ...]:
    history: list[Message] = [user(draw(words))]
    for number, (texts, calls, thinking, prompt) in enumerate(draw(st.lists(turns(), max_size=4))):
        asked = tuple(
            read_call(f"functions.{name}:{number}.{slot}", name, raw)
            for slot, (name, raw, _, _) in enumerate(calls)
        )
        outcomes = [(output, failed) for _, _, output, failed in calls]
        answers = tuple(ToolResult(call.id, *outcome) for call, outcome in zip(asked, outcomes, strict=True))
        history.append(Message("assistant", (*thinking, *map(Text, texts), *asked)))
        history.append(Message("user", (Text(prompt), *answers)))
    return tuple(history)


@pytest.mark.parametrize("choice", ["auto", "none"])
@pytest.mark.parametrize("effort", [None, "off", "high"])
def test_every_conversation_passes(choice: str, effort: Effort | None) -> None:
    messages_address, chat_address = endpoint("anthropic"), endpoint("openai")
    responses_address = endpoint(RESPONSES)

    @given(histories(), words)
    def check(history: tuple[Message, ...], system: str) -> None:
        asked = request(messages=history, system=system, tool_choice=choice)
        messages = AnthropicWire(messages_address, profile_of(messages_address), effort)
        body = json.loads(messages.body(asked))
        assert list(anthropic_strict.complaints(body, messages.headers())) == []
        body = json.loads(ChatWire(chat_address, profile_of(chat_address), effort).body(asked))
        assert list(openai_strict.complaints(body)) == []
        wire = ResponsesWire(responses_address, profile_of(responses_address), effort)
        assert list(responses_strict.complaints(json.loads(wire.body(asked)))) == []

    check()
