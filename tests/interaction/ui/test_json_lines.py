"""stream-json: the lines that clients of this family read, and the result always last."""

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.ui.json_lines import JsonLines
from roocode.interaction.ui.partial_messages import PartialMessages
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.events import (
    AnswerDelta,
    Answered,
    CallFinished,
    Event,
    Notice,
    PermissionAnswered,
    PermissionAsked,
    RequestRetried,
    RequestStarted,
)
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall
from roocode.protocol.tools import ToolOutcome
from tests.interaction.ui.samples import CALL, EVENT_IDS, EVENTS, REPLY, STARTED, ended, question

KINDS = {
    "SessionStarted": "system",
    "Answered": "assistant",
    "CallFinished": "user",
    "RequestRetried": "system",
    "RoomMade": "system",
    "SubAgentChanged": "system",
    "TeamEvent": "team/merged",
    "Notice": "system",
    "PermissionAsked": "system",
    "PermissionAnswered": "system",
}


class Stream:
    """A screen and what came out of it."""

    def __init__(self, **options: Any) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.screen = JsonLines(self.out, self.err, **options)

    def show(self, *events: Event) -> list[dict[str, Any]]:
        for event in events:
            self.screen.show(event)
        return self.lines

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.getvalue().splitlines()]


@pytest.mark.parametrize("event", EVENTS, ids=EVENT_IDS)
def test_every_event_is_one_line_or_none(event: Event):
    lines = Stream().show(STARTED, event)[1:]
    assert [line["type"] for line in lines] == [
        KINDS[name] for name in [type(event).__name__] if name in KINDS
    ]


def test_every_line_names_session_and_agent_and_has_an_id_of_its_own():
    stream = Stream()
    lines = stream.show(*EVENTS)
    assert {line["session_id"] for line in lines} == {"s1"}
    assert len({line["uuid"] for line in lines}) == len(lines)
    assert {line["agent"] for line in lines} == {"main", "ann"}


def test_a_question_comes_with_all_that_a_screen_needs_and_is_closed_by_its_id():
    asked, answered = Stream().show(
        PermissionAsked(question=question()),
        PermissionAnswered(question_id="q1", answer=PermissionAnswer(False, reason="not now")),
    )
    assert (asked["subtype"], answered["subtype"]) == ("permission_asked", "permission_answered")
    assert PermissionQuestion.from_json(asked["question"]) == question()
    assert answered["question_id"] == "q1"
    assert answered["answer"] == {"allowed": False, "scope": "once", "by": "person", "reason": "not now"}


def test_what_is_said_before_a_session_begins_comes_behind_its_line():
    stream = Stream()
    assert stream.show(Notice(text="Not trusted.")) == []
    assert [line["subtype"] for line in stream.show(STARTED, Notice(text="More."))] == [
        "init",
        "notice",
        "notice",
    ]
    assert [line.get("text") for line in stream.lines] == [None, "Not trusted.", "More."]
    assert {line["session_id"] for line in stream.lines} == {"s1"}


def test_what_was_said_is_not_lost_where_no_session_begins():
    stream = Stream()
    stream.screen.note(Notice(text="Not trusted."))
    stream.screen.finish("no key", 42)
    assert [line["type"] for line in stream.lines] == ["system", "result"]


def test_the_first_line_says_what_the_session_is():
    [line] = Stream().show(STARTED)
    assert line["subtype"] == "init"
    assert line["tools"] == ["Bash", "ReadFile"]
    assert {"cwd", "model", "permissionMode", "mcp_servers", "slash_commands"} <= line.keys()


def test_an_answer_is_one_message_with_all_its_blocks():
    [line] = Stream().show(Answered(reply=REPLY))
    assert line["message"]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
        {"type": "text", "text": "I run **them**."},
        {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make test"}},
    ]
    assert line["message"]["stop_reason"] == "tool_use"
    assert line["message"]["usage"] == {
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_creation_input_tokens": 40,
        "cache_read_input_tokens": 300,
    }
    assert line["parent_tool_use_id"] is None


def test_arguments_that_cannot_be_read_and_hidden_reasoning_have_their_shape():
    blocks = (Thinking("opaque", redacted=True), ToolCall("c", "Bash", None, "{"))
    [line] = Stream().show(Answered(reply=Reply(Message("assistant", blocks), "max_tokens")))
    assert line["message"]["content"] == [
        {"type": "redacted_thinking", "data": "opaque"},
        {"type": "tool_use", "id": "c", "name": "Bash", "input": {}},
    ]


def test_a_result_is_a_user_message():
    [line] = Stream().show(CallFinished(call=CALL, outcome=ToolOutcome("no", is_error=True)))
    [result] = line["message"]["content"]
    assert result == {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}


def test_a_retry_says_when_and_why():
    [line] = Stream().show(RequestRetried(attempt=2, of=5, delay_s=1.25, reason="overloaded"))
    assert (line["subtype"], line["attempt"], line["retry_delay_ms"]) == ("api_retry", 2, 1250)


def test_the_result_is_last_and_written_once():
    stream = Stream()
    stream.show(STARTED, ended())
    stream.screen.finish()
    assert stream.lines[-1]["type"] == "result"
    assert stream.lines[-1]["result"] == "All green."
    assert [line["type"] for line in stream.lines].count("result") == 1


def test_each_of_several_prompts_has_its_result():
    stream = Stream()
    stream.show(STARTED, ended(text="One."))
    stream.screen.answered(0)
    stream.show(ended(text="Two."))
    stream.screen.answered(0)
    stream.screen.finish()
    results = [line["result"] for line in stream.lines if line["type"] == "result"]
    assert results == ["One.", "Two."]
    stream.screen.finish("standard input is broken", 42)
    assert stream.lines[-1]["is_error"]
    assert "error: standard input is broken" in stream.err.getvalue()


def test_what_a_team_adds_is_inside_the_result():
    stream = Stream()
    stream.screen.finish("", 1, {"status": "conflict"})
    assert stream.lines[-1]["team"] == {"status": "conflict"}


def test_a_note_is_on_the_stream_and_on_standard_error():
    stream = Stream()
    stream.screen.note(Notice(text="not\x07trusted"))
    stream.show(STARTED)
    assert stream.lines[1]["text"] == "not\x07trusted"
    assert stream.err.getvalue() == "not\\x07trusted\n"


def test_nothing_in_a_text_breaks_a_line():
    text = "a\nb\u2028c\r\ud800 \x00 漢"
    [line] = Stream().show(CallFinished(call=CALL, outcome=ToolOutcome(text)))
    assert line["message"]["content"][0]["content"] == text.replace("\ud800", "\ufffd")


def test_pieces_come_only_when_they_are_asked_for():
    assert Stream().show(AnswerDelta(text="x")) == []
    lines = Stream(partial=True).show(RequestStarted(turn=1), AnswerDelta(text="x"))
    assert [line["type"] for line in lines] == ["stream_event"] * 3
    assert lines[-1]["event"]["delta"] == {"type": "text_delta", "text": "x"}


def test_a_retry_begins_the_message_anew():
    messages = PartialMessages()
    events = (
        AnswerDelta(text="Half"),
        RequestRetried(attempt=1, of=5, delay_s=0.0, reason="cut"),
        AnswerDelta(text="Whole."),
        Answered(reply=Reply(Message("assistant", (Text("Whole."),)), "end")),
    )
    pieces = [piece for event in events for piece in messages.take(event)]
    last = max(index for index, piece in enumerate(pieces) if piece["type"] == "message_start")
    assert put_together(pieces[last:]) == [{"type": "text", "text": "Whole."}]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
BLOCKS = st.one_of(
    TEXTS.map(Text),
    TEXTS.map(lambda text: Thinking(text, "sig")),
    st.builds(
        ToolCall, st.uuids().map(str), st.just("Bash"), st.dictionaries(TEXTS, st.integers(), max_size=2)
    ),
)


@given(st.lists(BLOCKS, max_size=5), st.booleans())
def test_a_client_puts_the_same_answer_together(blocks: list[Any], streams: bool):
    alternating = [b for i, b in enumerate(blocks) if not i or type(b) is not type(blocks[i - 1])]
    calls_last = sorted(alternating, key=lambda block: isinstance(block, ToolCall))
    kept = [b for i, b in enumerate(calls_last) if not i or type(b) is not type(calls_last[i - 1])]
    answered = Answered(reply=Reply(Message("assistant", tuple(kept)), "end"))
    deltas: list[Event] = []
    for block in kept if streams else ():
        if isinstance(block, Text | Thinking):
            kind = "text" if isinstance(block, Text) else "thinking"
            deltas += [AnswerDelta(text=character, kind=kind) for character in block.text]
    messages = PartialMessages()
    pieces = [piece for event in (*deltas, answered) for piece in messages.take(event)]
    [line] = Stream().show(answered)
    whole = [{k: v for k, v in block.items() if k != "signature"} for block in line["message"]["content"]]
    assert put_together(pieces) == whole
    assert [piece["type"] for piece in pieces].count("message_start") == 1
    assert pieces[-1]["type"] == "message_stop"


def put_together(pieces: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a client makes of the events, which must come in their order."""
    blocks: list[dict[str, Any]] = []
    is_open = False
    for piece in pieces:
        match piece["type"]:
            case "content_block_start":
                assert not is_open
                assert piece["index"] == len(blocks)
                is_open = True
                blocks.append(
                    {key: value for key, value in piece["content_block"].items() if key != "signature"}
                )
            case "content_block_delta":
                assert is_open
                _add(blocks[-1], piece["delta"])
            case "content_block_stop":
                assert is_open
                is_open = False
    assert not is_open
    return blocks


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "input_json_delta":
            block["input"] = json.loads(delta["partial_json"])
