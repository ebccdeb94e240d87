"""Which mail a change to the task list gives rise to."""

from dataclasses import replace

from roocode.engine.team.task_mail import letters
from roocode.engine.team.tasks import TaskStep, Updated
from roocode.protocol.team import StatusUpdate, Task, TaskAssignment
from tests.engine.team.on_disk import AT

TASK = Task("1", "split the parser")
NAMES = ("lead", "alice", "bob")


def written(step: TaskStep, task: Task, before: Task = TASK, by: str = "lead") -> list[tuple[str, str]]:
    mail = letters(Updated(step, task, before), (), names=NAMES, by=by, at=AT)
    return [(m.to, m.text if isinstance(m, StatusUpdate) else f"assigned {m.task_id}") for m in mail]


def test_an_assignment_is_told_to_the_new_owner():
    (letter,) = letters(
        Updated("assigned", replace(TASK, owner="alice"), TASK), (), names=NAMES, by="lead", at=AT
    )
    assert isinstance(letter, TaskAssignment)
    assert (letter.from_, letter.to, letter.task_id, letter.summary, letter.timestamp) == (
        "lead",
        "alice",
        "1",
        "Task 1: split the parser",
        AT,
    )


def test_an_assignment_that_is_repeated_is_told_again():
    reserved = replace(TASK, owner="alice")
    assert written("assigned", reserved, reserved) == [("alice", "assigned 1")]


def test_an_assignment_of_what_the_owner_holds_already_is_not():
    held = replace(TASK, owner="alice", status="in_progress")
    assert written("assigned", held, held) == []


def test_one_who_loses_a_task_is_told():
    before = replace(TASK, owner="bob", status="in_progress")
    assert written("assigned", replace(TASK, owner="alice"), before) == [
        ("alice", "assigned 1"),
        ("bob", "Task 1 (split the parser) belongs to alice now."),
    ]


def test_a_reservation_for_oneself_is_told_to_nobody():
    assert written("assigned", replace(TASK, owner="alice"), by="alice") == []
    assert written("assigned", replace(TASK, owner="lead")) == []


def test_an_end_is_told_to_all_others_with_what_it_frees():
    done = replace(TASK, owner="alice", status="completed")
    freed = (Task("3", "run the tests"), Task("4", "write the notes"))
    mail = letters(Updated("completed", done, TASK), freed, names=NAMES, by="alice", at=AT)
    text = "Task 1 (split the parser) is completed. Not blocked any more: 3 4."
    assert [(m.to, m.text) for m in mail if isinstance(m, StatusUpdate)] == [("lead", text), ("bob", text)]
    assert len({m.id for m in mail}) == 2


def test_a_release_is_told():
    held = replace(TASK, owner="alice", status="in_progress")
    text = "Task 1 (split the parser) is pending, released by alice."
    assert written("released", TASK, held, by="alice") == [("lead", text), ("bob", text)]


def test_what_changes_nothing_or_concerns_nobody_is_not_told():
    done = replace(TASK, owner="alice", status="completed")
    assert written("completed", done, done, by="alice") == []
    assert written("claimed", replace(TASK, owner="alice"), by="alice") == []
    assert written("updated", replace(TASK, subject="new")) == []
