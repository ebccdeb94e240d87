"""Responses in the OpenAI Responses protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut
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
from tests.engine.models.wires import responses_sse

Payload = dict[str, Any]

USED = {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 2}}
COUNTED = UsageReported(Usage(7, 4, 2))
CREATED: Payload = {"type": "response.created", "response": {"model": "g-1", "output": []}}


def finished(status: str = "completed", **more: Any) -> Payload:
    answer = {"status": status, "model": "g-1", "output": [], "usage": USED, **more}
    return {"type": f"response.{status}", "response": answer}


def added(place: int, kind: str, **item: Any) -> Payload:
    whole = {"type": kind, "id": f"i_{place}", **item}
    return {"type": "response.output_item.added", "output_index": place, "item": whole}


def done(place: int, kind: str, **item: Any) -> Payload:
    return {**added(place, kind, **item), "type": "response.output_item.done"}


def delta(kind: str, place: int, piece: str, **more: Any) -> Payload:
    return {"type": f"response.{kind}.delta", "output_index": place, "delta": piece, **more}


def ended(kind: str, place: int, **whole: Any) -> Payload:
    return {"type": f"response.{kind}.done", "output_index": place, **whole}


def text(place: int, *pieces: str) -> list[Payload]:
    return [added(place, "message"), *(delta("output_text", place, piece) for piece in pieces)]


def call(place: int, call_id: str, *pieces: str, name: str = "ReadFile") -> list[Payload]:
    head = added(place, "function_call", call_id=call_id, name=name, arguments="")
    return [head, *(delta("function_call_arguments", place, piece) for piece in pieces)]


def called(place: int, call_id: str, arguments: str = "{}", **more: Any) -> Payload:
    return done(place, "function_call", call_id=call_id, name="ReadFile", arguments=arguments, **more)


def message(place: int, words: str, **part: Any) -> Payload:
    return done(place, "message", content=[{"type": "output_text", "text": words, **part}])


HELLO = responses_sse(CREATED, *text(0, "Hel", "lo"), message(0, "Hello"), finished())
HELLO_EVENTS: list[StreamEvent] = [TextDelta("Hel"), TextDelta("lo"), COUNTED, Finished("end", "g-1")]


def shape(
    name: str, payloads: Sequence[Payload], events: Sequence[StreamEvent], last: Payload | None = None
) -> Shape:
    body = responses_sse(CREATED, *payloads, last or finished())
    return Shape(name, "openai-responses", [body], [*events])


def fails(name: str, payloads: Sequence[Payload], error: type[ProviderError], *before: StreamEvent) -> Shape:
    return Shape(name, "openai-responses", [responses_sse(*payloads)], [*before], error)


def calls(*events: StreamEvent) -> list[StreamEvent]:
    return [*events, COUNTED, Finished("tools", "g-1")]


def one(*pieces: str, call_id: str = "c1") -> list[StreamEvent]:
    arguments = [CallArguments(0, piece) for piece in pieces]
    return calls(CallStarted(0, call_id, "ReadFile"), *arguments, CallEnded(0))


OK = [TextDelta("ok"), COUNTED, Finished("end", "g-1")]

RESPONSES: list[Shape] = [
    Shape("text", "openai-responses", [HELLO], HELLO_EVENTS),
    Shape("one byte at a time", "openai-responses", [bytes([b]) for b in HELLO], HELLO_EVENTS),
    Shape(
        "no event lines, comments, [DONE]",
        "openai-responses",
        [
            b": PROCESSING\n\n"
            + b"".join(line + b"\n\n" for line in HELLO.split(b"\n") if line.startswith(b"data"))
            + b"data: [DONE]\n\n"
        ],
        HELLO_EVENTS,
    ),
    shape(
        "keep-alive and unknown events", [{"type": "keepalive"}, {"type": "response.x"}, *text(0, "ok")], OK
    ),
    shape("text without deltas", [message(0, "ok")], OK),
    Shape(
        "everything in the last event",
        "openai-responses",
        [responses_sse(finished(output=[message(0, "ok")["item"], called(1, "c1")["item"]]))],
        [TextDelta("ok"), *one("{}")],
    ),
    shape("an answer without an end of its item", text(0, "ok"), OK),
    shape(
        "items that the last event repeats under other places",
        [*text(0, "a"), message(0, "a"), *text(2, "b"), message(2, "b")],
        [TextDelta("a"), TextDelta("\n\n"), TextDelta("b"), COUNTED, Finished("end", "g-1")],
        finished(output=[message(0, "a")["item"], message(2, "b")["item"]]),
    ),
    shape(
        "items without ids that the last event repeats",
        [*call(0, "c1", "{}"), called(0, "c1", id="")],
        one("{}"),
        finished(output=[called(0, "c1", id="")["item"]]),
    ),
    shape("call in pieces", [*call(0, "c1", '{"n"', ":1}"), called(0, "c1", '{"n":1}')], one('{"n"', ":1}")),
    shape("call without deltas", [*call(0, "c1"), called(0, "c1", '{"n":1}')], one('{"n":1}')),
    shape("call that is only done", [called(0, "c1", '{"n":1}')], one('{"n":1}')),
    shape("call without an end", call(0, "c1", "{}"), one("{}")),
    shape(
        "a call that only the last event fills",
        call(0, "c1"),
        one('{"n":1}'),
        finished(output=[called(0, "c1", '{"n":1}')["item"]]),
    ),
    shape(
        "items of which only the last event has all",
        [added(0, "reasoning"), *text(3)],
        [ThinkingDelta(signature="i_0 E"), *OK],
        finished(output=[done(0, "reasoning", encrypted_content="E")["item"], message(3, "ok")["item"]]),
    ),
    shape(
        "a call that is whole when it begins",
        [added(0, "function_call", call_id="c1", name="ReadFile", arguments='{"n":1}')],
        one('{"n":1}'),
    ),
    shape(
        "arguments that come whole",
        [*call(0, "c1"), ended("function_call_arguments", 0, arguments='{"n":1}'), called(0, "c1", "")],
        one('{"n":1}'),
    ),
    shape(
        "arguments that come whole, with the name, and no end of the item",
        [*call(0, "c1", name=""), ended("function_call_arguments", 0, arguments={"n": 1}, name="ReadFile")],
        one('{"n": 1}'),
    ),
    shape(
        "arguments that come whole after their pieces",
        [*call(0, "c1", '{"n"', ":1}"), ended("function_call_arguments", 0, arguments='{"n":1}')],
        one('{"n"', ":1}"),
    ),
    shape(
        "a custom tool's text that comes whole",
        [
            added(0, "custom_tool_call", call_id="c1", name="ReadFile"),
            ended("custom_tool_call_input", 0, input="a"),
        ],
        one('{"input": "a"}'),
    ),
    shape(
        "text and reasoning that come whole, a part at a time",
        [
            ended("reasoning_summary_text", 0, text="a", summary_index=0),
            ended("reasoning_summary_text", 0, text="b", summary_index=1),
            ended("output_text", 1, text="o", content_index=0),
            ended("output_text", 1, text="k", content_index=1),
            message(1, "ok"),
        ],
        [
            ThinkingDelta("a"),
            ThinkingDelta("\n\n"),
            ThinkingDelta("b"),
            TextDelta("o"),
            TextDelta("k"),
            COUNTED,
            Finished("end", "g-1"),
        ],
    ),
    shape(
        "a refusal that comes whole",
        [ended("refusal", 0, refusal="No.")],
        [TextDelta("No."), COUNTED, Finished("refusal", "g-1")],
    ),
    shape(
        "parts that end and are no items",
        [ended("content_part", 3, part={"type": "output_text", "text": "ok"}), *text(0, "ok")],
        OK,
    ),
    shape("arguments as an object", [called(0, "c1", {"n": 1})], one('{"n": 1}')),  # type: ignore[arg-type]
    shape("no arguments", [*call(0, "c1"), called(0, "c1", "")], one()),
    shape("no call id", [*call(0, "", "{}"), called(0, "")], one("{}", call_id="call_1_0")),
    shape(
        "name at the end",
        [*call(0, "c1", "{}", name=""), called(0, "c1")],
        one("{}"),
    ),
    shape(
        "another id at the end of an item",
        [*call(0, "c1", "{}"), called(0, "c1", id="rotated")],
        one("{}"),
    ),
    shape(
        "another id and place of a call in the last event",
        [*call(3, "c1", "{}"), called(3, "c1")],
        one("{}"),
        finished(output=[called(0, "c1", id="rotated")["item"]]),
    ),
    shape(
        "no place, found by id",
        [
            {k: v for k, v in payload.items() if k != "output_index"} | {"item_id": f"i_{place}"}
            for place, payload in (
                (0, added(0, "function_call", call_id="a", name="ReadFile")),
                (1, added(1, "function_call", call_id="b", name="ReadFile")),
                (0, delta("function_call_arguments", 0, '{"n":1}')),
                (1, delta("function_call_arguments", 1, '{"n":2}')),
                (0, called(0, "a")),
                (1, called(1, "b")),
            )
        ],
        calls(
            CallStarted(0, "a", "ReadFile"),
            CallStarted(1, "b", "ReadFile"),
            CallArguments(0, '{"n":1}'),
            CallArguments(1, '{"n":2}'),
            CallEnded(0),
            CallEnded(1),
        ),
    ),
    shape(
        "calls in turns",
        [
            *call(0, "a"),
            *call(1, "b"),
            delta("function_call_arguments", 1, '{"n":2}'),
            delta("function_call_arguments", 0, '{"n":1}'),
            called(1, "b"),
            called(0, "a"),
        ],
        calls(
            CallStarted(0, "a", "ReadFile"),
            CallStarted(1, "b", "ReadFile"),
            CallArguments(1, '{"n":2}'),
            CallArguments(0, '{"n":1}'),
            CallEnded(1),
            CallEnded(0),
        ),
    ),
    shape(
        "a custom tool's text",
        [
            added(0, "custom_tool_call", call_id="c1", name="ReadFile"),
            delta("custom_tool_call_input", 0, "a "),
            delta("custom_tool_call_input", 0, '"b"'),
            done(0, "custom_tool_call", call_id="c1", name="ReadFile", input='a "b"'),
        ],
        one('{"input": "a \\"b\\""}'),
    ),
    shape(
        "items of other kinds",
        [
            added(0, "web_search_call"),
            delta("code_interpreter_call_code", 0, "x"),
            done(0, "web_search_call"),
            added(1, "compaction"),
            done(1, "compaction", encrypted_content="E"),
            *text(2, "ok"),
        ],
        OK,
    ),
    shape(
        "sealed reasoning in two parts",
        [
            added(0, "reasoning", encrypted_content="half"),
            delta("reasoning_summary_text", 0, "a", summary_index=0),
            delta("reasoning_summary_text", 0, "b", summary_index=1),
            done(0, "reasoning", encrypted_content="E", summary=[{"type": "summary_text", "text": "a"}]),
            *text(1, "ok"),
        ],
        [
            ThinkingDelta("a"),
            ThinkingDelta("\n\n"),
            ThinkingDelta("b"),
            ThinkingDelta(signature="i_0 E"),
            *OK,
        ],
    ),
    shape(
        "open reasoning",
        [added(0, "reasoning"), delta("reasoning_text", 0, "hm"), done(0, "reasoning"), *text(1, "ok")],
        [ThinkingDelta("hm"), *OK],
    ),
    shape(
        "reasoning that is only done",
        [
            done(0, "reasoning", summary=[], content=[{"type": "reasoning_text", "text": "hm"}]),
            *text(1, "ok"),
        ],
        [ThinkingDelta("hm"), *OK],
    ),
    shape(
        "refusal",
        [added(0, "message"), delta("refusal", 0, "No.")],
        [TextDelta("No."), COUNTED, Finished("refusal", "g-1")],
    ),
    shape(
        "refusal without deltas",
        [done(0, "message", content=[{"type": "refusal", "refusal": "No."}])],
        [TextDelta("No."), COUNTED, Finished("refusal", "g-1")],
    ),
    shape(
        "the limit in the middle of a call",
        [*call(0, "c1", '{"n"'), called(0, "c1", '{"n"', status="incomplete")],
        [
            CallStarted(0, "c1", "ReadFile"),
            CallArguments(0, '{"n"'),
            COUNTED,
            Finished("max_tokens", "g-1"),
        ],
        finished("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ),
    shape(
        "a filter",
        text(0, "ok"),
        [TextDelta("ok"), COUNTED, Finished("refusal", "g-1")],
        finished("incomplete", incomplete_details={"reason": "content_filter"}),
    ),
    Shape(
        "cut",
        "openai-responses",
        [HELLO[: HELLO.index(b"event: response.completed")]],
        [*HELLO_EVENTS[:2]],
        StreamCut,
    ),
    fails(
        "failed",
        [*text(0, "a"), finished("failed", error={"code": "server_error", "message": "no"})],
        ProviderBusy,
        TextDelta("a"),
    ),
    fails(
        "limited",
        [finished("failed", error={"code": "rate_limit_exceeded", "message": "slow down"})],
        ProviderBusy,
    ),
    fails("no credit", [{"type": "error", "code": "insufficient_quota", "message": "no"}], ProviderRefused),
    fails("cancelled", [finished("cancelled")], StreamCut),
    Shape("no JSON", "openai-responses", [b"data: {oops\n\n"], [], StreamCut),
    Shape(
        "not streamed",
        "openai-responses",
        [
            json.dumps(
                {
                    "object": "response",
                    "status": "completed",
                    "model": "g-1",
                    "output": [
                        done(0, "reasoning", encrypted_content="E", summary=[])["item"],
                        message(1, "ok")["item"],
                    ],
                    "usage": USED,
                }
            ).encode()
        ],
        [ThinkingDelta(signature="i_0 E"), *OK],
        content_type="application/json",
    ),
]
