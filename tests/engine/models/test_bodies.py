from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.bodies import MessageBytes, Once, encode_json
from roocode.engine.models.endpoint import WireName
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.profiles import profile_of
from roocode.engine.models.wire import Wire
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, user
from tests.engine.models.wires import endpoint, request

MARK = b',"cache_control":{"type":"ephemeral"}'


def wire(protocol: WireName) -> Wire:
    address = endpoint(protocol)
    kinds: dict[WireName, Callable[..., Wire]] = {"anthropic": AnthropicWire, "openai": ChatWire}
    return kinds[protocol](address, profile_of(address))


def turn(number: int, text: str) -> tuple[Message, Message]:
    call = ToolCall(f"c{number}", "ReadFile", {"path": text})
    return (
        Message("assistant", (Thinking(text, "S"), Text(text), call)),
        Message("user", (ToolResult(f"c{number}", text), Text(text))),
    )


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_each_request_is_a_prefix_of_the_next(protocol: WireName) -> None:
    @given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
    def check(texts: list[str]) -> None:
        asking = wire(protocol)
        history: tuple[Message, ...] = (user("go"),)
        before = b""
        for number, text in enumerate(texts):
            history += turn(number, text)
            sent = asking.body(request(messages=history)).replace(MARK, b"")
            assert sent.startswith(before)
            before = sent.removesuffix(b"]}")

    check()


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_a_body_does_not_depend_on_what_was_asked_before(protocol: WireName) -> None:
    history = (user("go"), *turn(0, "a"), *turn(1, "b"))
    asking = wire(protocol)
    for length in (1, 3, 5):
        asking.body(request(messages=history[:length], system="other", model="x"))
    assert asking.body(request(messages=history)) == wire(protocol).body(request(messages=history))


def test_a_message_is_encoded_once() -> None:
    seen: list[Message] = []

    def encode(message: Message) -> bytes:
        seen.append(message)
        return b"x"

    encoded = MessageBytes(encode)
    first, second = user("a"), Message("assistant", (ToolCall("c1", "Edit", {}),))
    encoded((first,))
    assert encoded((first, second)) == [b"x", b"x"]
    assert seen == [first, second]
    assert encoded.call_ids == {"c1"}


def test_messages_of_long_ago_are_forgotten() -> None:
    seen: list[Message] = []
    encoded = MessageBytes(lambda message: seen.append(message) or b"x")  # type: ignore[func-returns-value]
    old = user("old")
    encoded((old,))
    for number in range(5_000):
        encoded((user(str(number)),))
    encoded((old,))
    assert seen.count(old) == 2


def test_a_value_is_encoded_when_it_changes() -> None:
    seen: list[str] = []
    once: Once[str] = Once(lambda text: seen.append(text) or b"")  # type: ignore[func-returns-value]
    for text in ("a", "a", "b", "a"):
        once(text)
    assert seen == ["a", "b", "a"]


def test_what_utf8_cannot_hold_is_replaced() -> None:
    assert json.loads(encode_json({"a": "x\ud83dy", "b": os.fsdecode(b"\xff")})) == {"a": "x?y", "b": "?"}
