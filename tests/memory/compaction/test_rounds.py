"""Where a history is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roocode.memory.compaction import rounds
from roocode.memory.compaction.size import tokens_of
from roocode.protocol.messages import Message
from tests.memory.compaction.histories import flaws, histories, history


def test_a_round_begins_with_a_prompt_or_with_an_answer_behind_results() -> None:
    messages = history(4)
    roles = [(message.role, bool(message.results)) for message in messages]
    assert rounds.starts(messages) == (0, 3, 5, 7, 8)
    assert [roles[start] for start in rounds.starts(messages)] == [
        ("user", False),
        ("assistant", False),
        ("assistant", False),
        ("assistant", False),
        ("user", False),
    ]


def test_the_newest_rounds_that_fit() -> None:
    messages = history(30)
    last = tokens_of(messages[rounds.starts(messages)[-1] :])
    assert rounds.newest(messages, 1) == rounds.starts(messages)[-1]
    assert rounds.newest(messages, last) == rounds.starts(messages)[-1]
    assert rounds.newest(messages, 10**6) == 0
    cut = rounds.newest(messages, 500)
    assert tokens_of(messages[cut:]) <= 500 < tokens_of(messages[rounds.newest(messages, 600) :])


def test_the_oldest_rounds_that_fit() -> None:
    messages = history(30)
    assert rounds.oldest(messages, 1) == rounds.starts(messages)[1]
    assert rounds.oldest(messages, 10**6) == len(messages)
    assert tokens_of(messages[: rounds.oldest(messages, 500)]) <= 500


@given(histories(), st.integers(1, 2_000))
def test_no_cut_takes_a_result_from_its_call(messages: tuple[Message, ...], tokens: int) -> None:
    for cut in (rounds.newest(messages, tokens), rounds.oldest(messages, tokens)):
        tail = messages[cut:]
        head = [Message("user", ()), *tail] if tail and tail[0].role == "assistant" else tail
        assert [flaw for flaw in flaws(head) if "results" in flaw] == []


def test_an_empty_history_has_no_rounds() -> None:
    assert rounds.starts(()) == ()
    assert rounds.newest((), 5) == 0
    assert rounds.oldest((), 5) == 0
