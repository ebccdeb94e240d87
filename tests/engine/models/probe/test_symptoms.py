from __future__ import annotations

from typing import Any

import pytest

from roocode.engine.models.endpoint import WireName
from roocode.engine.models.probe.symptoms import symptoms
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
    ("anthropic", anthropic_sse(DONE), {"not reported: it is estimated"}),
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
    ("openai", chat_sse(chunk({"content": "a"}, "stop")), {"not reported: it is estimated"}),
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
            "not reported: it is estimated",
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


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai-responses"])
def test_nothing_can_make_it_fail(protocol: WireName) -> None:
    for body in (
        b"",
        b"data: {oops\n\n",
        b"data: [1]\n\n",
        b'data: {"choices": [1], "delta": 2}\n\n',
        b"\xff",
    ):
        symptoms(protocol, body)
