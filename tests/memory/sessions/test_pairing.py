"""Every call has exactly one result, whatever was cut."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from roocode.memory.sessions.pairing import LOST, open_calls, paired
from roocode.protocol.messages import Message, Text, ToolCall, ToolResult, user


def call(identifier: str) -> ToolCall:
    return ToolCall(identifier, "ReadFile", {"path": "a"})


def asked(*identifiers: str) -> Message:
    return Message("assistant", tuple(call(i) for i in identifiers))


def answered(*identifiers: str) -> Message:
    return Message("user", tuple(ToolResult(i, f"of {i}") for i in identifiers))


def test_a_whole_history_stays_as_it_is():
    history = (user("go"), asked("1", "2"), answered("1", "2"), Message("assistant", (Text("done"),)))
    assert paired(history) == history


def test_results_are_put_into_the_order_of_their_calls_and_joined():
    history = (user("go"), asked("1", "2"), answered("2"), answered("1"), user("and"))
    assert paired(history)[2] == Message(
        "user", (ToolResult("1", "of 1"), ToolResult("2", "of 2"), Text("and"))
    )


def test_an_orphan_call_gets_an_error_result_in_the_middle_and_at_the_end():
    history = (user("go"), asked("1"), user("never mind"), asked("2"))
    assert paired(history) == (
        user("go"),
        asked("1"),
        Message("user", (ToolResult("1", LOST, True), Text("never mind"))),
        asked("2"),
        Message("user", (ToolResult("2", LOST, True),)),
    )


def test_a_second_result_and_one_without_a_call_are_dropped():
    history = (user("go"), asked("1"), answered("1", "1", "7"))
    assert paired(history)[2] == answered("1")


def test_empty_text_and_empty_messages_vanish():
    history = (user("go", ""), Message("assistant", (Text(""),)), user("again"))
    assert paired(history) == (user("go", "again"),)


def test_open_calls_are_those_of_the_last_answer_only():
    history = (user("go"), asked("1", "2"), answered("1"))
    assert [c.id for c in open_calls(history)] == ["2"]
    assert open_calls((user("go"),)) == ()


blocks = st.one_of(
    st.builds(Text, st.sampled_from(["", "a", "b"])),
    st.builds(call, st.sampled_from("123")),
    st.builds(ToolResult, st.sampled_from("123"), st.just("r"), st.booleans()),
)
messages = st.builds(Message, st.sampled_from(["user", "assistant"]), st.lists(blocks, max_size=4).map(tuple))


@settings(max_examples=400)
@given(st.lists(messages, max_size=8))
def test_any_history_becomes_one_that_alternates_and_pairs(history: list[Message]):
    history = [
        Message(
            m.role,
            tuple(
                b
                for index, b in enumerate(m.blocks)
                if not (isinstance(b, ToolCall) and (m.role == "user" or b in m.blocks[:index]))
                and not (isinstance(b, ToolResult) and m.role == "assistant")
            ),
        )
        for m in history
    ]
    whole = paired(history)
    assert paired(whole) == whole
    for before, after in pairwise(whole):
        assert before.role != after.role
    for index, message in enumerate(whole):
        if message.role == "user":
            earlier = [c.id for c in whole[index - 1].calls] if index else []
            assert [r.call_id for r in message.results] == list(dict.fromkeys(earlier))
    assert not (whole and whole[-1].calls)
