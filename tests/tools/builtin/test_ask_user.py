"""AskUser."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.tools.services import Question
from tests.tools.conftest import Bench

QUESTION = {"question": "Which?", "options": [{"label": "A", "description": "the first"}, {"label": "B"}]}


class Person:
    """Answers every question in the same way."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: tuple[Question, ...] = ()

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        self.asked = questions
        return None if self.answer is None else tuple(self.answer for _ in questions)


@pytest.mark.asyncio
async def test_answers_are_the_persons_words(tmp_path: Path) -> None:
    person = Person("neither, do C")
    bench = Bench(tmp_path, tmp_path / "scratch", asker=person)
    said = await bench.text(
        "AskUser", questions=[QUESTION, {**QUESTION, "question": "And?", "multiple": True}]
    )
    assert said == "Which?\n→ neither, do C\nAnd?\n→ neither, do C"
    assert [option.label for option in person.asked[0].options] == ["A", "B"]
    assert (person.asked[0].multiple, person.asked[1].multiple) == (False, True)


@pytest.mark.asyncio
async def test_no_answer_picks_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, tmp_path / "scratch", asker=Person(None))
    said = await bench.text("AskUser", questions=[QUESTION])
    assert "did not answer" in said
    assert "A" not in said.split()


def test_it_is_not_offered_where_nobody_can_be_asked(bench: Bench) -> None:
    assert "AskUser" not in bench.tools


@pytest.mark.parametrize(
    ("questions", "words"),
    [
        ([], "`questions` must be a list of 1 to 4 items, got []"),
        ("x", "`questions` must be a list of 1 to 4 items, got 'x'"),
        ([{"question": "Q", "options": [{"label": "A"}]}], "`questions[0].options` must be a list of 2 to 4"),
        ([{"question": "Q"}], "`questions[0].options` is missing: it must be a list of 2 to 4"),
        ([{**QUESTION, "why": 1}], "unknown field `questions[0].why`"),
        ([QUESTION] * 5, "`questions` must be a list of 1 to 4 items"),
    ],
)
def test_bad_questions_are_explained(tmp_path: Path, questions: object, words: str) -> None:
    tool = Bench(tmp_path, tmp_path / "scratch", asker=Person("x")).tools["AskUser"]
    assert words in tool.complaint({"questions": questions})
