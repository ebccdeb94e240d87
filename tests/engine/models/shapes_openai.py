"""Responses in the OpenAI Chat Completions protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from roocode.protocol.errors import ProviderBusy, StreamCut
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
from tests.engine.models.wires import chat_sse


def chunk(delta: dict[str, Any] | None = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": reason}]
    return {"model": "g-1", "choices": choices, **more}


def call_delta(*, arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    function = {
        key: value for key, value in {"name": name, "arguments": arguments}.items() if value is not None
    }
    return {"tool_calls": [{**more, "function": function}]}


CALLED = chunk({}, "tool_calls")
COUNTED = chunk(
    usage={"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}}
)
CHAT_USED = UsageReported(Usage(7, 4, 2))
CHAT = chat_sse(
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Hel"}),
    chunk({"content": "lo"}),
    chunk({}, "stop"),
    COUNTED,
)
CHAT_EVENTS = [TextDelta("Hel"), TextDelta("lo"), CHAT_USED, Finished("end", "g-1")]
NAMED = call_delta(index=0, id="c1", name="ReadFile", arguments="")
TWO_NAMES = {
    "tool_calls": [
        {"id": "a", "function": {"name": "ReadFile", "arguments": '{"n":1}'}},
        {"id": "b", "function": {"name": "ReadFile", "arguments": {"n": 2}}},
    ]
}


def chat(name: str, chunks: Sequence[dict[str, Any]], events: Sequence[StreamEvent], **more: Any) -> Shape:
    return Shape(name, "openai", [chat_sse(*chunks, COUNTED)], [*events], **more)


def two(first: str, second: str, one: str, other: str) -> list[StreamEvent]:
    return [
        CallStarted(0, first, "ReadFile"),
        CallArguments(0, one),
        CallStarted(1, second, "ReadFile"),
        CallArguments(1, other),
        CHAT_USED,
        CallEnded(0),
        CallEnded(1),
        Finished("tools", "g-1"),
    ]


def one(*pieces: str, call_id: str = "c1") -> list[StreamEvent]:
    arguments = [CallArguments(0, piece) for piece in pieces]
    return [
        CallStarted(0, call_id, "ReadFile"),
        *arguments,
        CHAT_USED,
        CallEnded(0),
        Finished("tools", "g-1"),
    ]


OPENAI: list[Shape] = [
    Shape("text", "openai", [CHAT], CHAT_EVENTS),
    Shape("comments between events", "openai", [b": OPENROUTER PROCESSING\n\n" + CHAT], CHAT_EVENTS),
    Shape(
        "byte order mark and carriage returns",
        "openai",
        [b"\xef\xbb\xbf" + CHAT.replace(b"\n", b"\r")],
        CHAT_EVENTS,
    ),
    Shape("no [DONE]", "openai", [CHAT.replace(b"data: [DONE]\n\n", b"")], CHAT_EVENTS),
    Shape("[DONE] without a finish reason", "openai", [CHAT.replace(b'"stop"', b"null")], CHAT_EVENTS),
    Shape(
        "neither", "openai", [chat_sse(chunk({"content": "Hel"}), done=False)], [TextDelta("Hel")], StreamCut
    ),
    chat(
        "id and name in every piece, the last one without arguments",
        [
            chunk(call_delta(index=0, id="c1", name="ReadFile", arguments="{")),
            chunk(call_delta(index=0, id="c1", name="ReadFile", arguments="}")),
            chunk(call_delta(index=0, id="c1", name="ReadFile", arguments="")),
            CALLED,
        ],
        one("{", "}"),
    ),
    chat(
        "call in pieces",
        [
            chunk(NAMED),
            chunk(call_delta(index=0, arguments='{"n"')),
            chunk(call_delta(index=0, arguments=":1}")),
            CALLED,
        ],
        one('{"n"', ":1}"),
    ),
    chat(
        "interleaved calls",
        [
            chunk(NAMED),
            chunk(call_delta(index=1, id="c2", name="ReadFile")),
            chunk(call_delta(index=1, arguments="{}")),
            chunk(call_delta(index=0, arguments="{}")),
            CALLED,
        ],
        [
            CallStarted(0, "c1", "ReadFile"),
            CallStarted(1, "c2", "ReadFile"),
            CallArguments(1, "{}"),
            CallArguments(0, "{}"),
            CHAT_USED,
            CallEnded(0),
            CallEnded(1),
            Finished("tools", "g-1"),
        ],
    ),
    chat(
        "whole calls without index, arguments as an object",
        [chunk(TWO_NAMES, "tool_calls")],
        two("a", "b", '{"n":1}', '{"n": 2}'),
    ),
    chat(
        "no index, found by id",
        [chunk(call_delta(id="c1", name="ReadFile")), chunk(call_delta(id="c1", arguments="{}")), CALLED],
        one("{}"),
    ),
    chat(
        "no id",
        [chunk(call_delta(index=0, name="ReadFile", arguments="{}")), CALLED],
        one("{}", call_id="call_1_0"),
    ),
    chat(
        "neither index nor id",
        [chunk(call_delta(name="ReadFile", arguments='{"n":')), chunk(call_delta(arguments="1}")), CALLED],
        one('{"n":', "1}", call_id="call_1_0"),
    ),
    chat(
        "another index for the arguments",
        [
            chunk(call_delta(index=1, id="c1", name="ReadFile")),
            chunk(call_delta(index=0, arguments="{}")),
            CALLED,
        ],
        one("{}"),
    ),
    chat(
        "one index for all calls",
        [
            chunk(call_delta(index=0, id="a", name="ReadFile", arguments='{"n":1}')),
            chunk(call_delta(index=0, id="b", name="ReadFile", arguments='{"n":2}')),
            CALLED,
        ],
        two("a", "b", '{"n":1}', '{"n":2}'),
    ),
    chat(
        "one index and one name for all calls, no ids",
        [
            chunk(call_delta(index=0, name="ReadFile", arguments='{"n":1}')),
            chunk(call_delta(index=0, name="ReadFile", arguments='{"n":2}')),
            CALLED,
        ],
        two("call_1_0", "call_1_1", '{"n":1}', '{"n":2}'),
    ),
    chat(
        "one id for all calls",
        [
            chunk(call_delta(index=0, id="a", name="ReadFile", arguments="{}")),
            chunk(call_delta(index=1, id="a", name="ReadFile", arguments="{}")),
            CALLED,
        ],
        two("a", "a_2", "{}", "{}"),
    ),
    chat(
        "name behind the arguments",
        [
            chunk(call_delta(index=0, id="c1", arguments='{"n":')),
            chunk(call_delta(index=0, name="ReadFile", arguments="1}")),
            CALLED,
        ],
        one('{"n":1}'),
    ),
    chat(
        "name and id in every delta",
        [chunk(NAMED), chunk(call_delta(index=0, id="c1", name="ReadFile", arguments="{}")), CALLED],
        one("{}"),
    ),
    chat(
        "empty deltas, empty ids",
        [
            chunk({}),
            chunk({"content": None, "tool_calls": None}),
            chunk(NAMED),
            chunk(call_delta(index=0, id="", arguments="{}")),
            CALLED,
        ],
        one("{}"),
    ),
    chat("stop with calls", [chunk(NAMED), chunk({}, "stop")], one()),
    chat(
        "tool_calls without calls",
        [chunk({"content": "ok"}, "tool_calls")],
        [TextDelta("ok"), CHAT_USED, Finished("end", "g-1")],
    ),
    chat(
        "reasoning_content",
        [
            chunk({"reasoning_content": ""}),
            chunk({"reasoning_content": "hm"}),
            chunk({"content": "ok"}, "stop"),
        ],
        [ThinkingDelta(""), ThinkingDelta("hm"), TextDelta("ok"), CHAT_USED, Finished("end", "g-1")],
    ),
    chat(
        "reasoning",
        [chunk({"reasoning": "hm"}), chunk({"content": "ok"}, "length")],
        [ThinkingDelta("hm"), TextDelta("ok"), CHAT_USED, Finished("max_tokens", "g-1")],
    ),
    chat(
        "content in parts",
        [
            chunk(
                {
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                        {"type": "text", "text": "ok"},
                    ]
                },
                "stop",
            )
        ],
        [ThinkingDelta("hm"), TextDelta("ok"), CHAT_USED, Finished("end", "g-1")],
    ),
    chat(
        "refusal",
        [chunk({"refusal": "No."}, "stop")],
        [TextDelta("No."), CHAT_USED, Finished("refusal", "g-1")],
    ),
    chat(
        "halves of a character",
        [chunk({"content": "a\ud83d"}), chunk({"content": "\ude00b"}, "stop")],
        [TextDelta("a"), TextDelta("😀b"), CHAT_USED, Finished("end", "g-1")],
    ),
    chat(
        "two choices",
        [
            {
                "choices": [
                    {"index": 1, "delta": {"content": "no"}},
                    {"index": 0, "delta": {"content": "yes"}},
                ]
            },
            chunk({}, "stop"),
        ],
        [TextDelta("yes"), CHAT_USED, Finished("end", "g-1")],
    ),
    Shape(
        "usage in the choice",
        "openai",
        [
            chat_sse(
                {
                    "model": "g-1",
                    "choices": [
                        {
                            "index": 0,
                            "delta": {"content": "ok"},
                            "finish_reason": "stop",
                            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
                        }
                    ],
                }
            )
        ],
        [TextDelta("ok"), UsageReported(Usage(3, 1)), Finished("end", "g-1")],
    ),
    Shape(
        "error in the middle",
        "openai",
        [chat_sse(chunk({"content": "Hel"}), {"error": {"code": 502, "message": "upstream"}})],
        [TextDelta("Hel")],
        ProviderBusy,
    ),
    Shape(
        "not streamed",
        "openai",
        [
            json.dumps(
                {
                    "model": "g-1",
                    "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
                }
            ).encode()
        ],
        [TextDelta("Hi"), UsageReported(Usage(3, 1)), Finished("end", "g-1")],
        content_type="application/json",
    ),
]
