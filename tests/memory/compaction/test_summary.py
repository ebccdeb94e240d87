"""Summaries: one request where it fits, several where not, and what becomes of a model that gives none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.memory.compaction.budget import Window
from roocode.memory.compaction.compactor import Compacted, Compactor
from roocode.memory.compaction.size import tokens_of
from roocode.memory.compaction.summary import Answer, NoSummary, Spent, order, summarised
from roocode.protocol.errors import ProviderBusy, ProviderError, StreamCut, WindowExceeded
from roocode.protocol.messages import Message, Text, Usage, user
from tests.memory.compaction.histories import flaws, histories, history

ONE = Spent(Usage(10, 1), 0.5)


class Model:
    """Answers requests for a summary one after another; an error is raised."""

    def __init__(self, *answers: str | ProviderError, otherwise: str = "short") -> None:
        self.asked: list[tuple[Message, ...]] = []
        self._answers = list(answers)
        self._otherwise = otherwise

    async def __call__(self, messages: tuple[Message, ...]) -> Answer:
        self.asked.append(messages)
        answer = self._answers.pop(0) if self._answers else self._otherwise
        if isinstance(answer, ProviderError):
            raise answer
        return Answer(answer, ONE)


def summary_of(messages: tuple[Message, ...], model: Model, room: int, focus: str = "") -> Answer:
    return asyncio.run(summarised(messages, model, room, focus))


def test_one_request_has_the_whole_history_as_it_was_sent_before() -> None:
    messages, model = history(5), Model("## Goal\nall of it")
    assert summary_of(messages, model, 100_000) == Answer("## Goal\nall of it", ONE)
    (asked,) = model.asked
    assert asked[:-1] == messages[:-1]
    assert asked[-1].blocks[:-1] == messages[-1].blocks
    assert asked[-1].text.endswith(order().text)


def test_what_the_person_wants_kept_is_in_the_order() -> None:
    model = Model()
    summary_of((user("go"),), model, 100_000, focus="the table of ports")
    assert "keep above all: the table of ports" in model.asked[0][-1].text


def test_a_history_that_is_too_big_goes_part_by_part_into_one_summary() -> None:
    messages, model = history(60, size=400), Model(*(f"summary {number}" for number in range(30)))
    whole = summary_of(messages, model, 3_000)
    assert len(model.asked) > 2
    assert whole.text == f"summary {len(model.asked) - 1}"
    assert whole.spent == Spent(Usage(10 * len(model.asked), len(model.asked)), 0.5 * len(model.asked))
    for number, asked in enumerate(model.asked):
        assert tokens_of(asked) <= 3_000
        assert flaws(asked) == []
        assert number == 0 or f"summary {number - 1}" in asked[0].text


@pytest.mark.parametrize("failure", ["", "  \n", StreamCut("cut"), WindowExceeded("too long")])
def test_nothing_or_a_failure_is_tried_smaller(failure: str | ProviderError) -> None:
    messages, model = history(40, size=400), Model(failure, failure, "at last")
    assert summary_of(messages, model, 100_000).text == "at last"
    sizes = [tokens_of(asked) for asked in model.asked]
    assert sizes[0] > sizes[1] > sizes[2]
    assert all(flaws(asked) == [] for asked in model.asked)


def test_a_model_that_never_gives_one_is_told_apart() -> None:
    model = Model(otherwise="")
    with pytest.raises(NoSummary, match="an empty answer") as raised:
        summary_of(history(4), model, 100_000)
    assert raised.value.spent == Spent(Usage(30, 3), 1.5)


def test_what_the_parts_before_a_failure_cost_counts_too() -> None:
    model = Model("one", "two", "", "", "")
    with pytest.raises(NoSummary) as raised:
        summary_of(history(60, size=400), model, 3_000)
    assert raised.value.spent == Spent(Usage(50, 5), 2.5)


def test_one_unknown_price_makes_the_whole_unknown() -> None:
    assert ONE + Spent(Usage(1, 1), None) + ONE == Spent(Usage(21, 3), None)


def made(
    messages: tuple[Message, ...],
    model: Model,
    level: str = "summary",
    pinned: Callable[[], tuple[str, ...]] = tuple,
    window: int = 8_000,
) -> Compacted | None:
    compactor = Compactor(Window(window, 1_000), lambda: 200, model, {"ReadFile"}, pinned)
    return asyncio.run(compactor.make_room(messages, level))  # type: ignore[arg-type]


def test_old_rounds_are_replaced_and_the_newest_stay_as_they_were() -> None:
    messages = history(60, size=300)
    done = made(messages, Model("## Goal\nthe goal"), pinned=lambda: ("Plan: step 2 is open.",))
    assert done is not None
    assert (done.kind, done.spent.usage.total >= 11) == ("summary", True)
    assert "the goal" in done.messages[0].text
    assert "Plan: step 2 is open." in done.messages[0].text
    assert "> prompt 0" in done.messages[0].text
    assert done.messages[-6:] == messages[-6:]
    assert tokens_of(done.messages) < 4_000
    assert flaws(done.messages) == []


def test_the_summary_is_no_word_of_the_person() -> None:
    done = made(history(60, size=300), Model("I am a summary"))
    assert done is not None
    assert "I am a summary" not in done.messages[0].spoken


def test_a_second_summary_replaces_the_first() -> None:
    first = made(history(60, size=300), Model("FIRST"))
    assert first is not None
    model = Model(otherwise="SECOND")
    second = made((*first.messages, *history(60, size=300)), model)
    assert second is not None
    assert "FIRST" in model.asked[0][0].text
    assert "SECOND" in second.messages[0].text
    assert "FIRST" not in "".join(message.text for message in second.messages)


def test_clearing_is_enough_where_it_is() -> None:
    model = Model()
    messages = history(20, size=1_200)
    done = made(messages, model, "clearing")
    assert done is not None
    assert done.kind == "cleared"
    assert model.asked == []
    assert made(history(20), model, "clearing") is None


@pytest.mark.parametrize("level", ["free", "warning"])
def test_while_there_is_room_nothing_happens(level: str) -> None:
    assert made(history(60, size=300), Model(), level) is None


def test_without_a_summary_the_floor_takes_over_only_when_the_window_is_full() -> None:
    messages = history(60, size=300)
    with pytest.raises(NoSummary):
        made(messages, Model(otherwise=""))
    done = made(messages, Model(otherwise=""), "full")
    assert done is not None
    assert done.kind == "dropped"
    assert "no summary" in done.fault
    assert tokens_of(done.messages) < 4_000


def test_a_provider_that_is_down_loses_nothing() -> None:
    messages = history(60, size=300)
    assert made(messages, Model(ProviderBusy("down"))) is None
    with pytest.raises(ProviderBusy):
        made(messages, Model(ProviderBusy("down")), "full")


@given(histories(), st.integers(0, 3))
def test_whatever_the_model_does_the_result_is_sound(messages: tuple[Message, ...], failures: int) -> None:
    answers = [""] * failures
    done = made(messages, Model(*answers, otherwise="s" * 500), "full", window=2_600)
    assert done is not None
    assert flaws(done.messages) == []


def test_one_prompt_that_is_longer_than_the_window_is_cut() -> None:
    done = made((Message("user", (Text("x" * 400_000),)),), Model(), "full")
    assert done is not None
    assert done.kind == "dropped"
    assert tokens_of(done.messages) < 4_000
