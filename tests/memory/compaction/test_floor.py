"""The step that cannot fail."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roocode.memory.compaction.floor import DROPPED, floored
from roocode.memory.compaction.size import tokens_of
from roocode.protocol.messages import Message, Text, Thinking, ToolCall, ToolResult, user
from tests.memory.compaction.histories import flaws, histories, history


def test_the_newest_rounds_stay_behind_a_note() -> None:
    messages = history(100)
    shorter = floored(messages, 1_000)
    assert tokens_of(shorter) <= 1_000
    assert DROPPED in shorter[0].text
    assert shorter[-4:] == messages[-4:]
    assert flaws(shorter) == []


def test_a_last_round_that_is_too_long_is_cut_in_the_middle() -> None:
    call = ToolCall("c", "WriteFile", {"path": "f", "content": "a" * 90_000})
    messages = (
        user("b" * 90_000),
        Message("assistant", (Thinking("t" * 9_000, "signed"), Text("short"), call)),
        Message("user", (ToolResult("c", "start " + "漢" * 90_000 + " end"),)),
    )
    shorter = floored(messages, 2_000)
    assert tokens_of(shorter) <= 2_000
    assert flaws(shorter) == []
    result = shorter[-1].results[0].content
    assert result.startswith("start")
    assert result.endswith("end")
    assert "characters were cut here" in result
    assert "short" in [
        block.text for message in shorter for block in message.blocks if isinstance(block, Text)
    ]


@given(histories(), st.integers(800, 3_000))
def test_it_always_fits_and_is_always_sound(messages: tuple[Message, ...], tokens: int) -> None:
    shorter = floored(messages, tokens)
    assert flaws(shorter) == []
    assert tokens_of(shorter) <= max(tokens, 1_500)
