"""Responses in the Anthropic Messages protocol."""

from __future__ import annotations

import json
from typing import Any

from roocode.protocol.errors import ProviderBusy, ProviderRefused, StreamCut
from roocode.protocol.messages import Usage
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)
from tests.engine.models.shapes import Shape
from tests.engine.models.wires import anthropic_sse

START = {
    "type": "message_start",
    "message": {"model": "c-1", "usage": {"input_tokens": 7, "output_tokens": 1}},
}
STOP = {"type": "message_stop"}
STARTED = UsageReported(Usage(7, 1))
USED = UsageReported(Usage(7, 5))


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def ends(reason: str | None, tokens: int = 5) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": tokens}}


def text_delta(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


def json_delta(text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


TEXT: dict[str, Any] = {"type": "text", "text": ""}
CALL: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "ReadFile", "input": {}}
HELLO = anthropic_sse(START, *block(0, TEXT, text_delta("Hel"), text_delta("lo")), ends("end_turn"), STOP)
HELLO_EVENTS = [STARTED, TextDelta("Hel"), TextDelta("lo"), USED, Finished("end", "c-1")]


def called(slot: int, call_id: str, *arguments: str, name: str = "ReadFile") -> list[StreamEvent]:
    return [
        CallStarted(slot, call_id, name),
        *(CallArguments(slot, text) for text in arguments),
        CallEnded(slot),
    ]


ANTHROPIC: list[Shape] = [
    Shape("text", "anthropic", [HELLO], HELLO_EVENTS),
    Shape("one byte at a time", "anthropic", [HELLO[i : i + 1] for i in range(len(HELLO))], HELLO_EVENTS),
    Shape("carriage returns", "anthropic", [HELLO.replace(b"\n", b"\r\n")], HELLO_EVENTS),
    Shape(
        "pings and comments",
        "anthropic",
        [
            b": hi\n\n"
            + HELLO.replace(
                b"event: message_delta", b'event: ping\ndata: {"type": "ping"}\n\nevent: message_delta'
            )
        ],
        HELLO_EVENTS,
    ),
    Shape(
        "no event lines",
        "anthropic",
        [b"\n".join(line for line in HELLO.split(b"\n") if not line.startswith(b"event"))],
        HELLO_EVENTS,
    ),
    Shape("no blank line at the end", "anthropic", [HELLO.rstrip(b"\n")], HELLO_EVENTS),
    Shape(
        "[DONE] behind the last event", "anthropic", [HELLO + b"event: data\ndata: [DONE]\n\n"], HELLO_EVENTS
    ),
    Shape(
        "call in pieces",
        "anthropic",
        [
            anthropic_sse(
                START,
                *block(0, CALL, json_delta(""), json_delta('{"path":'), json_delta('"a"}')),
                ends("tool_use"),
                STOP,
            )
        ],
        [STARTED, *called(0, "t1", '{"path":', '"a"}'), USED, Finished("tools", "c-1")],
    ),
    Shape(
        "call without arguments, stop reason that lies",
        "anthropic",
        [anthropic_sse(START, *block(0, CALL), ends("end_turn"), STOP)],
        [STARTED, *called(0, "t1"), USED, Finished("tools", "c-1")],
    ),
    Shape(
        "call with its input in the start",
        "anthropic",
        [anthropic_sse(START, *block(0, {**CALL, "input": {"path": "a"}}), ends("tool_use"), STOP)],
        [STARTED, *called(0, "t1", '{"path": "a"}'), USED, Finished("tools", "c-1")],
    ),
    Shape(
        "two calls with one id",
        "anthropic",
        [
            anthropic_sse(
                START,
                *block(0, CALL, json_delta("{}")),
                *block(1, CALL, json_delta("{}")),
                ends("tool_use"),
                STOP,
            )
        ],
        [STARTED, *called(0, "t1", "{}"), *called(1, "t1_2", "{}"), USED, Finished("tools", "c-1")],
    ),
    Shape(
        "thinking, signed, redacted, then text",
        "anthropic",
        [
            anthropic_sse(
                START,
                *block(
                    0,
                    {"type": "thinking", "thinking": ""},
                    {"type": "thinking_delta", "thinking": "hm"},
                    {"type": "signature_delta", "signature": "S"},
                ),
                *block(1, {"type": "redacted_thinking", "data": "XX"}),
                *block(2, TEXT, text_delta("ok")),
                ends("end_turn"),
                STOP,
            )
        ],
        [
            STARTED,
            ThinkingDelta("hm"),
            ThinkingDelta(signature="S"),
            ThinkingDelta("XX", redacted=True),
            TextDelta("ok"),
            USED,
            Finished("end", "c-1"),
        ],
    ),
    Shape(
        "blocks and events of other kinds",
        "anthropic",
        [
            anthropic_sse(
                START,
                {"type": "news"},
                *block(0, {"type": "server_tool_use", "id": "s"}, json_delta("{}")),
                *block(1, TEXT, {"type": "citations_delta"}, text_delta("ok")),
                ends("pause_turn"),
                STOP,
            )
        ],
        [STARTED, TextDelta("ok"), USED, Finished("pause", "c-1")],
    ),
    Shape(
        "output limit in the middle of a call",
        "anthropic",
        [anthropic_sse(START, *block(0, CALL, json_delta('{"pa'))[:-1], ends("max_tokens"), STOP)],
        [
            STARTED,
            CallStarted(0, "t1", "ReadFile"),
            CallArguments(0, '{"pa'),
            USED,
            Finished("max_tokens", "c-1"),
        ],
    ),
    Shape(
        "no message_stop",
        "anthropic",
        [HELLO[: HELLO.index(b"event: message_stop")]],
        HELLO_EVENTS[:-1],
        StreamCut,
    ),
    Shape(
        "overloaded in the middle",
        "anthropic",
        [
            anthropic_sse(
                START, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            )
        ],
        [STARTED],
        ProviderBusy,
    ),
    Shape(
        "refused in the middle",
        "anthropic",
        [
            anthropic_sse(
                START, {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
            )
        ],
        [STARTED],
        ProviderRefused,
    ),
    Shape(
        "an event that is no JSON",
        "anthropic",
        [anthropic_sse(START) + b"event: x\ndata: {oops\n\n"],
        [STARTED],
        StreamCut,
    ),
    Shape(
        "not streamed",
        "anthropic",
        [
            json.dumps(
                {
                    "type": "message",
                    "model": "c-1",
                    "content": [{"type": "text", "text": "Hi"}, {**CALL, "input": {"path": "a"}}],
                    "stop_reason": "tool_use",
                    "usage": {"input_tokens": 7, "output_tokens": 5},
                }
            ).encode()
        ],
        [USED, TextDelta("Hi"), *called(0, "t1", '{"path": "a"}'), Finished("tools", "c-1")],
        content_type="application/json",
    ),
    Shape(
        "a web page",
        "anthropic",
        [b"<!doctype html><title>Sign in</title>"],
        [],
        ProviderRefused,
        "text/html",
    ),
]
