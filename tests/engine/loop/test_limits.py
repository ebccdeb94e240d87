"""When a run stops by itself."""

import time

import pytest

from roocode.engine.loop.limits import SAME_STOPPED, SAME_TOLD, Limits, Tally, lost, reached, repetition
from roocode.protocol.messages import ToolCall, ToolResult, Usage


def used(turns: int = 1, tokens: int = 0, cost: float | None = 0.0) -> Tally:
    tally = Tally()
    for turn in range(turns):
        tally.count_request(Usage(tokens if not turn else 0), cost if not turn else 0.0, 0.5)
    return tally


def test_without_limits_nothing_is_reached():
    assert reached(Limits(None), used(10_000, 10**9, None)) is None


@pytest.mark.parametrize(
    ("limits", "tally", "end"),
    [
        (Limits(3), used(2), None),
        (Limits(3), used(3), "turn_limit"),
        (Limits(9, tokens=100), used(tokens=99), None),
        (Limits(9, tokens=100), used(tokens=100), "budget"),
        (Limits(9, cost_usd=1.0), used(cost=0.99), None),
        (Limits(9, cost_usd=1.0), used(cost=1.0), "budget"),
        (Limits(9, cost_usd=1.0), used(cost=None), "budget"),
        (Limits(9, seconds=3600), Tally(started=time.monotonic() - 60), None),
        (Limits(9, seconds=3600), Tally(started=time.monotonic() - 7200), "budget"),
    ],
)
def test_each_limit_has_its_end(limits: Limits, tally: Tally, end: str | None):
    limit = reached(limits, tally)
    assert (limit.end if limit else None) == end


def test_a_cost_that_was_unknown_once_stays_unknown():
    tally = used(cost=None)
    tally.count_request(Usage(1), 0.5, 0.1)
    assert tally.cost_usd is None
    assert tally.api_s == pytest.approx(0.6)


def test_turns_count_from_the_last_outside_input():
    tally = used(3)
    tally.turns_since_input = 0
    assert reached(Limits(3), tally) is None
    assert tally.turns == 3


def test_three_unknown_tools_or_five_bad_arguments_in_a_row_are_lost():
    tally = Tally()
    for _ in range(2):
        tally.count_call(known=False, readable=True)
    assert lost(tally) == ""
    tally.count_call(known=True, readable=False)
    assert tally.unknown_in_a_row == 0
    for _ in range(4):
        assert lost(tally) == ""
        tally.count_call(known=True, readable=False)
    assert "5 times in a row" in lost(tally)
    tally.count_call(known=True, readable=True)
    for _ in range(3):
        assert lost(tally) == ""
        tally.count_call(known=False, readable=True)
    assert "a tool that does not exist" in lost(tally)


def rounds(*contents: str) -> Tally:
    """A tally of so many rounds of one call each, with these results; ids differ, as they do in a talk."""
    tally = Tally()
    for number, content in enumerate(contents):
        identifier = f"c{number}"
        tally.count_round([ToolCall(identifier, "Grep", {"pattern": "x"})], [ToolResult(identifier, content)])
    return tally


def test_the_same_calls_with_the_same_results_are_told_once_and_then_stopped():
    assert repetition(rounds("a", "a")) == ""
    assert "the same results each time" in repetition(rounds(*["a"] * SAME_TOLD))
    assert repetition(rounds(*["a"] * (SAME_TOLD + 1))) == ""
    assert lost(rounds(*["a"] * (SAME_STOPPED - 1))) == ""
    assert "6 times in a row" in lost(rounds(*["a"] * SAME_STOPPED))


def test_another_result_is_progress():
    assert repetition(rounds("a", "a", "b")) == ""
    assert lost(rounds(*"ab" * 20)) == ""
