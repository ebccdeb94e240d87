from __future__ import annotations

import pytest

from roocode.engine.models.assemble import ReplyBuilder, assemble
from roocode.protocol.errors import StreamCut
from roocode.protocol.messages import Text, Thinking, ToolCall, Usage
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    Retrying,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)


def call(slot: int, *pieces: str) -> list[StreamEvent]:
    return [
        CallStarted(slot, f"c{slot}", "Edit"),
        *(CallArguments(slot, piece) for piece in pieces),
        CallEnded(slot),
    ]


def calls(*events: StreamEvent, stop: str = "tools") -> tuple[ToolCall, ...]:
    return assemble([*events, Finished(stop)]).message.calls  # type: ignore[arg-type]


def test_blocks_stand_in_the_order_of_their_start() -> None:
    reply = assemble(
        [
            ThinkingDelta("h"),
            ThinkingDelta("m"),
            ThinkingDelta(signature="S1"),
            ThinkingDelta("", signature="S2"),
            ThinkingDelta("XX", redacted=True),
            TextDelta("a"),
            TextDelta("b"),
            *call(0, '{"x"', ": 1}"),
            TextDelta("c"),
            UsageReported(Usage(1, 2)),
            UsageReported(Usage(3, 4)),
            Finished("tools", "m-1"),
        ]
    )
    assert reply.message.blocks == (
        Thinking("hm", "S1"),
        Thinking("", "S2"),
        Thinking("XX", redacted=True),
        Text("ab"),
        ToolCall("c0", "Edit", {"x": 1}),
        Text("c"),
    )
    assert (reply.stop, reply.usage, reply.model) == ("tools", Usage(3, 4), "m-1")


def test_interleaved_calls_keep_their_arguments() -> None:
    events = [
        CallStarted(0, "a", "Edit"),
        CallStarted(1, "b", "Edit"),
        CallArguments(1, '{"n": 2'),
        CallArguments(0, '{"n": 1'),
        CallArguments(1, "}"),
        CallArguments(0, "}"),
        CallEnded(0),
        CallEnded(1),
    ]
    assert [found.arguments for found in calls(*events)] == [{"n": 1}, {"n": 2}]


def test_a_try_that_failed_leaves_nothing() -> None:
    reply = assemble(
        [TextDelta("no"), *call(0, "{}"), Retrying(1, 5, 0.1, "cut"), TextDelta("yes"), Finished("end")]
    )
    assert reply.message.blocks == (Text("yes"),)


def test_a_stream_without_its_end_is_no_reply() -> None:
    builder = ReplyBuilder()
    builder.add(TextDelta("half"))
    with pytest.raises(StreamCut):
        builder.reply()


@pytest.mark.parametrize("raw", ["", '{"path": "a', '{"a": 1'])
def test_the_output_limit_in_the_middle_of_a_call_is_said(raw: str) -> None:
    (found,) = calls(*call(0, raw), stop="max_tokens")
    assert found.arguments is None
    assert "output limit" in found.complaint
    assert found.raw == raw


def test_the_output_limit_behind_a_whole_call_leaves_it_alone() -> None:
    (found,) = calls(*call(0, '{"a": 1}'), stop="max_tokens")
    assert found.arguments == {"a": 1}
    first, second = calls(*call(0, ""), *call(1, "{"), stop="max_tokens")
    assert first.arguments == {}
    assert "output limit" in second.complaint


def test_a_call_that_never_ended_is_not_run() -> None:
    (found,) = calls(CallStarted(0, "a", "Edit"), CallArguments(0, "{}"))
    assert found.arguments is None
    assert "in part" in found.complaint
