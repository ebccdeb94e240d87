"""Plan mode, in whole sessions: the plan's file, the approval, and what follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.app.planning import GO, GO_EDITING, PLAN_ON
from roocode.interaction.config.sources import Flag
from roocode.protocol.decisions import Mode, PermissionAnswer
from roocode.protocol.events import CallFinished, PermissionAsked
from roocode.tools.services import Question
from tests.engine.loop.conftest import Opener

PLAN = {"calls": [{"tool": "ExitPlanMode", "input": {"plan": "1. write a.txt"}}]}
WRITE = {"calls": [{"tool": "WriteFile", "input": {"path": "a.txt", "content": "x"}}]}
DONE = {"text": "done"}
NO = PermissionAnswer(False, reason="no")


def mode(name: Mode) -> tuple[Flag, ...]:
    return (Flag(("permissions", "mode"), name, "--permission-mode"),)


class Person:
    """Gives one answer to every question."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        self.asked.extend(questions)
        return None if self.answer is None else tuple(self.answer for _ in questions)


@pytest.mark.asyncio
@pytest.mark.parametrize(("answer", "after"), [(GO, "default"), (GO_EDITING, "acceptEdits")])
async def test_an_approved_plan_ends_plan_mode(tmp_path: Path, answer: str, after: str) -> None:
    person = Person(answer)
    async with Opener(tmp_path)(PLAN, DONE, flags=mode("plan"), asker=person) as session:
        await session.say("plan it")
        assert "1. write a.txt" in person.asked[0].question
        assert session.single.agent.tools.policy.mode == after
        assert "approved the plan" in session.results[0].content
        assert session.single.planning.file.read_text() == "1. write a.txt\n"
        assert session.single.planning.file.stat().st_mode & 0o777 == 0o600


@pytest.mark.asyncio
async def test_the_mode_from_before_comes_back(tmp_path: Path) -> None:
    async with Opener(tmp_path)(PLAN, DONE, flags=mode("acceptEdits"), asker=Person(GO)) as session:
        session.single.planning.set_mode("plan")
        await session.say("plan it")
        assert session.single.agent.tools.policy.mode == "acceptEdits"


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", [PLAN_ON, "use tabs", None])
async def test_without_a_yes_plan_mode_goes_on(tmp_path: Path, answer: str | None) -> None:
    async with Opener(tmp_path)(PLAN, WRITE, DONE, flags=mode("plan"), asker=Person(answer)) as session:
        run = session.start("plan it")
        await session.until(lambda: session.seen(PermissionAsked) != [])
        session.approver.answer(session.seen(PermissionAsked)[0].question.id, NO)
        await run
        assert session.single.agent.tools.policy.mode == "plan"
        assert "did not approve" in session.results[0].content
        assert ("use tabs" in session.results[0].content) == (answer == "use tabs")
        assert not (session.root / "a.txt").exists()


@pytest.mark.asyncio
async def test_in_plan_mode_the_plans_file_alone_is_written_without_a_question(tmp_path: Path) -> None:
    allowed = (*mode("plan"), Flag(("permissions", "allow"), "WriteFile", "--allowed-tools"))
    place = "{{ regex('Keep the plan in ([^ ]+) while', 1) }}"
    draft = {"calls": [{"tool": "WriteFile", "input": {"path": place, "content": "draft"}}]}
    async with Opener(tmp_path)(draft, WRITE, DONE, flags=allowed) as session:
        run = session.start("plan it")
        await session.until(lambda: session.seen(PermissionAsked) != [])
        (asked,) = session.seen(PermissionAsked)
        assert asked.question.input["path"] == "a.txt"
        assert session.single.planning.file.read_text() == "draft"
        session.approver.answer(asked.question.id, NO)
        await run
        assert not (session.root / "a.txt").exists()


@pytest.mark.asyncio
async def test_without_a_person_the_plan_is_kept_and_nothing_is_changed(tmp_path: Path) -> None:
    async with Opener(tmp_path)(PLAN, DONE, flags=mode("plan")) as session:
        await session.say("plan it")
        assert "Nobody can approve" in session.results[0].content
        assert session.single.agent.tools.policy.mode == "plan"
        assert session.single.planning.file.exists()


@pytest.mark.asyncio
async def test_outside_plan_mode_there_is_nothing_to_approve(tmp_path: Path) -> None:
    person = Person(GO)
    async with Opener(tmp_path)(PLAN, DONE, flags=mode("default"), asker=person) as session:
        await session.say("go")
        assert "not plan mode" in session.results[0].content
        assert person.asked == []
        assert [event.outcome.is_error for event in session.seen(CallFinished)] == [False]
