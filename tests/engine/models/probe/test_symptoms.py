from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roocode.engine.models.endpoint import WireName
from roocode.engine.models.probe.symptoms import reasoning_field, symptoms
from tests.engine.models import shapes_responses as responses
from tests.engine.models.shapes_anthropic import HELLO
from tests.engine.models.shapes_openai import CHAT, COUNTED, call_delta, chunk
from tests.engine.models.wires import anthropic_sse, chat_sse, responses_sse

CALLED = chunk({}, "tool_calls")
USED: dict[str, Any] = {"usage": {"prompt_tokens": 1, "completion_tokens": 1}}
DONE = {"type": "message_stop"}
COUNT = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}


def block(**content: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": content}


def numbered(*payloads: dict[str, Any]) -> bytes:
    return responses_sse(*({**payload, "sequence_number": n} for n, payload in enumerate(payloads)))


CASES: list[tuple[WireName, bytes, set[str]]] = [
    ("anthropic", anthropic_sse({**COUNT, "delta": {}}, DONE), set()),
    ("anthropic", HELLO.replace(b"event: ", b"x: "), {"no `event:` lines"}),
    (
        "anthropic",
        anthropic_sse(COUNT, DONE) + b"data: [DONE]\n\n",
        {"[DONE] at the end, as in OpenAI's protocol"},
    ),
    ("anthropic", anthropic_sse(DONE), set()),
    ("anthropic", anthropic_sse(block(type="thinking"), COUNT, DONE), {"thinking has no signature"}),
    ("anthropic", anthropic_sse(block(type="tool_use"), COUNT, DONE), {"no id"}),
    (
        "anthropic",
        anthropic_sse(block(type="tool_use", id="a"), block(type="tool_use", id="a"), COUNT),
        {"one id for several calls", "no message_stop at the end"},
    ),
    ("openai", CHAT, set()),
    ("openai", b'{"choices": []}', {"the answer does not stream"}),
    ("openai", b": WAIT\n\n" + CHAT, {"comments between the events"}),
    ("openai", chat_sse(chunk({"content": "a"}, "stop")), set()),
    ("openai", chat_sse(chunk({}, "stop", **USED)), {"in the last chunk of the answer"}),
    ("openai", chat_sse(chunk({}, "stop"), chunk(x_groq=USED)), {"under x_groq"}),
    ("openai", chat_sse({"choices": [{"delta": {}, **USED}]}), {"inside the choice"}),
    (
        "openai",
        chat_sse(
            chunk(call_delta(index=0, id="a", name="f", arguments="")),
            chunk(call_delta(index=0, arguments="{}")),
            CALLED,
            COUNTED,
        ),
        set(),
    ),
    (
        "openai",
        chat_sse(
            chunk(call_delta(id="a", arguments="{}")), chunk(call_delta(id="a", name="f")), CALLED, COUNTED
        ),
        {"no index", "arguments before the name"},
    ),
    (
        "openai",
        chat_sse(
            chunk(call_delta(index=0, id="a", name="f", arguments="{}")),
            chunk(call_delta(index=0, id="a", name="g", arguments="{}")),
            chunk({}, "stop"),
            COUNTED,
        ),
        {
            "one index for several calls",
            "one id for several calls",
            "whole in one event",
            "stop although tools are called",
        },
    ),
    ("openai", chat_sse(chunk({}, "tool_calls"), COUNTED), {"tool_calls although no tool is called"}),
    ("openai-responses", numbered(responses.message(0, "a"), responses.finished(output=[{}])), set()),
    (
        "openai-responses",
        responses_sse(responses.finished(usage=None)),
        {
            "the last event does not repeat the answer",
            "no sequence numbers",
        },
    ),
    (
        "openai-responses",
        numbered(
            responses.added(0, "reasoning"),
            responses.done(0, "reasoning", id="other"),
            responses.called(1, ""),
            responses.finished(output=[{}]),
        ),
        {"an item's id changes on the way", "not sealed: it has no encrypted_content", "no id"},
    ),
]


@pytest.mark.parametrize(("protocol", "body", "what"), CASES, ids=range(len(CASES)))
def test_what_the_bytes_show(protocol: WireName, body: bytes, what: set[str]) -> None:
    assert {detail for _, detail in symptoms(protocol, body)} == what


SILENT: dict[WireName, set[str]] = {
    "anthropic": {"no message_stop at the end"},
    "openai": {"no [DONE] at the end"},
    "openai-responses": set(),
}


@pytest.mark.parametrize("protocol", SILENT)
@pytest.mark.parametrize(
    "body",
    [b"", b"data: {oops\n\n", b"data: [1]\n\n", b"\xff", b"data: " + b"[" * 100_000 + b"\n\n"],
    ids=range(5),
)
def test_a_body_that_says_nothing_shows_only_what_is_missing(protocol: WireName, body: bytes) -> None:
    unnamed = {"no `event:` lines"} if b"data" in body and protocol != "openai" else set()
    assert {detail for _, detail in symptoms(protocol, body)} == SILENT[protocol] | unnamed


WRONG: list[Any] = [1, True, "x", [1], {"a": 1}, None]
"""Values of every kind, of which at most one is what the protocol has in a place."""


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize(
    ("protocol", "body", "what"),
    [
        (
            "anthropic",
            lambda wrong: anthropic_sse(
                block(type="tool_use", id=[wrong]),
                block(type="tool_use", id={"a": wrong}),
                {"type": "message_delta", "delta": {"stop_reason": [wrong]}, "usage": wrong},
                {"type": "content_block_start", "content_block": [wrong]},
                {"type": "content_block_delta", "delta": [wrong]},
                DONE,
            ),
            {"no id"},
        ),
        (
            "openai",
            lambda wrong: chat_sse(
                {"choices": wrong, "usage": [wrong], "x_groq": wrong},
                {"choices": [wrong, {"delta": [wrong], "finish_reason": [wrong], "usage": [wrong]}]},
                chunk({"tool_calls": [wrong, {"index": [wrong], "id": [wrong], "function": [wrong]}]}),
                chunk({"tool_calls": [{"index": [wrong], "id": {"a": wrong}, "function": {"name": "f"}}]}),
                chunk({"tool_calls": [{"index": [wrong], "id": {"a": wrong}, "function": {"name": "f"}}]}),
            ),
            {
                "no index",
                "arguments before the name",
                "no id",
                "none although tools are called",
            },
        ),
        (
            "openai-responses",
            lambda wrong: numbered(
                {**responses.called(0, "a"), "output_index": [wrong], "item": [wrong]},
                {**responses.called(0, "a"), "output_index": {"a": wrong}},
                responses.called(1, "b") | {"item": {"type": "function_call", "call_id": [wrong]}},
                responses.done(2, "reasoning", encrypted_content="", summary=wrong),
                {"type": "response.completed", "response": {"output": [wrong], "usage": [wrong]}},
                {"type": "response.completed", "response": [wrong]},
            ),
            {"no id", "not sealed: it has no encrypted_content"},
        ),
    ],
    ids=["anthropic", "openai", "openai-responses"],
)
def test_values_of_another_kind_count_as_missing(
    protocol: WireName, body: Callable[[Any], bytes], what: set[str], wrong: Any
) -> None:
    assert {detail for _, detail in symptoms(protocol, body(wrong))} == what
    assert reasoning_field(body(wrong)) == ""
