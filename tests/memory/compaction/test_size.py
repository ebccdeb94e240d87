"""How good the estimate of tokens is."""

from __future__ import annotations

import pytest

from roocode.memory.compaction.size import Measure, Totals, size, tokens_in, tokens_of
from roocode.protocol.messages import user
from tests.memory.compaction.histories import history


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("words", 2),
        ("x" * 4000, 1000),
        ("上下文管理是最复杂的子系统", 13),
        ("日本語です", 5),
        ("한국어", 3),
        ("Größe", 2),
        ("привет", 3),
        ("🙂🙂", 2),
        ("\ud800", 1),
    ],
)
def test_a_text_is_told_by_its_script(text: str, tokens: int) -> None:
    assert tokens_in(text) == tokens


def test_what_was_counted_replaces_the_estimate_and_what_came_since_is_added() -> None:
    messages = history(4)
    measure = Measure(messages=3, tokens=5_000, estimated=100)
    assert size(Totals()(messages), 100, measure) == 5_000 + tokens_of(messages[3:])
    assert size(Totals()(messages), 100, None) == 100 + tokens_of(messages)


def test_a_measure_of_a_longer_conversation_counts_for_nothing() -> None:
    assert size(Totals()((user("a"),)), 7, Measure(9, 5_000, 100)) == 7 + tokens_of((user("a"),))


def test_totals_are_those_of_the_messages_as_they_are_now() -> None:
    long, other = history(6), history(3)
    changed = (*long[:2], user("something else, and longer than it was"), *long[3:])
    totals = Totals()
    for messages in (long[:4], long, changed, long[:3], (), other, long):
        assert list(totals(messages)) == [tokens_of(messages[:n]) for n in range(len(messages) + 1)]


def test_the_error_of_an_estimate() -> None:
    assert Measure(1, 1_000, 900).error == pytest.approx(-0.1)
    assert Measure(1, 0, 900).error == 0
