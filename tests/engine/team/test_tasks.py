"""The transitions of the task list, by table and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.team import tasks as transitions
from roocode.engine.team.dependencies import Tasks, claimable, unblocked, unfinished_blockers
from roocode.engine.team.task_text import render_line, render_list, render_task
from roocode.engine.team.tasks import FinishedWork, TaskChange, TaskRefused
from roocode.protocol.team import Task

AT, LATER = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"


def three() -> Tasks:
    """1 blocks 3, 2 blocks 3."""
    tasks: Tasks = ()
    for subject in ("split the parser", "split the printer", "run the tests"):
        tasks, _ = transitions.create(tasks, subject, f"All of: {subject}", by="lead", at=AT)
    return update(tasks, "3", TaskChange(add_blocked_by=("1", "2")), by="lead")


def update(tasks: Tasks, task_id: str, change: TaskChange, by: str, **more: object) -> Tasks:
    return transitions.update(tasks, task_id, change, by=by, at=LATER, **more)[0]  # type: ignore[arg-type]


def claimed(tasks: Tasks, task_id: str, by: str) -> Tasks:
    return update(tasks, task_id, TaskChange(status="in_progress"), by)


def completed(tasks: Tasks, task_id: str, by: str) -> Tasks:
    return update(claimed(tasks, task_id, by), task_id, TaskChange(status="completed"), by)


def test_ids_are_short_numbers_as_strings():
    assert [task.id for task in three()] == ["1", "2", "3"]
    assert three()[0] == Task(
        "1",
        "split the parser",
        "All of: split the parser",
        blocks=("3",),
        created_by="lead",
        created_at=AT,
        updated_at=LATER,
    )


def test_an_id_is_not_used_again_below_the_highest():
    tasks = (Task("7", "seven"), Task("notes", "made by hand"))
    assert transitions.create(tasks, "next", "", by="lead", at=AT)[1].id == "8"


def test_edges_are_kept_on_both_ends_and_once():
    tasks = update(three(), "1", TaskChange(add_blocks=("3", "2")), by="lead")
    assert [(task.blocks, task.blocked_by) for task in tasks] == [
        (("3", "2"), ()),
        (("3",), ("1",)),
        ((), ("1", "2")),
    ]


def test_a_claim_makes_the_caller_the_owner_and_keeps_the_base():
    task = update(three(), "1", TaskChange(status="in_progress"), "alice", base="c0ffee")[0]
    assert (task.status, task.owner, task.claim_base, task.updated_at) == (
        "in_progress",
        "alice",
        "c0ffee",
        LATER,
    )


def test_claiming_again_what_one_holds_changes_nothing():
    tasks = update(three(), "1", TaskChange(status="in_progress"), "alice", base="c0ffee")
    assert update(tasks, "1", TaskChange(status="in_progress"), "alice", base="later") is tasks


def test_a_task_that_got_a_blocker_while_it_was_held_stays_held():
    tasks = update(claimed(three(), "1", "alice"), "1", TaskChange(add_blocked_by=("2",)), "lead")
    assert claimed(tasks, "1", "alice") is tasks


REFUSED = {
    "owned": (lambda: claimed(claimed(three(), "1", "alice"), "1", "bob"), "owned by alice"),
    "reserved": (
        lambda: claimed(update(three(), "1", TaskChange(owner="alice"), "lead"), "1", "bob"),
        "owned by alice",
    ),
    "blocked": (lambda: claimed(three(), "3", "alice"), "blocked by 1 2:"),
    "blocked by the unfinished one": (
        lambda: claimed(completed(three(), "1", "alice"), "3", "alice"),
        "blocked by 2:",
    ),
    "claim of a completed one": (
        lambda: claimed(completed(three(), "1", "alice"), "1", "alice"),
        "completed already",
    ),
    "completing what nobody holds": (
        lambda: update(three(), "1", TaskChange(status="completed"), "alice"),
        "not yours: claim it again (it is pending)",
    ),
    "completing what is only reserved": (
        lambda: update(
            update(three(), "1", TaskChange(owner="alice"), "lead"),
            "1",
            TaskChange(status="completed"),
            "alice",
        ),
        "not yours: claim it again",
    ),
    "completing another's": (
        lambda: update(claimed(three(), "1", "alice"), "1", TaskChange(status="completed"), "bob"),
        "not yours: claim it again (it is in_progress, owned by alice)",
    ),
    "completing what was released meanwhile": (
        lambda: update(
            transitions.release(claimed(three(), "1", "alice"), "1", at=LATER),
            "1",
            TaskChange(status="completed"),
            "alice",
        ),
        "not yours: claim it again",
    ),
    "the lead completing a member's": (
        lambda: update(claimed(three(), "1", "alice"), "1", TaskChange(status="completed"), "lead"),
        "not yours: claim it again",
    ),
    "releasing another's": (
        lambda: update(claimed(three(), "1", "alice"), "1", TaskChange(status="pending"), "bob"),
        "not yours to release",
    ),
    "a teammate giving work": (
        lambda: update(three(), "1", TaskChange(owner="bob"), "alice"),
        "Only the lead gives tasks to others",
    ),
    "a teammate taking what is reserved": (
        lambda: update(
            update(three(), "1", TaskChange(owner="bob"), "lead"), "1", TaskChange(owner="alice"), "alice"
        ),
        "owned by bob",
    ),
    "giving a completed one": (
        lambda: update(completed(three(), "1", "alice"), "1", TaskChange(owner="bob"), "lead"),
        "completed already",
    ),
    "an unknown id": (lambda: claimed(three(), "9", "alice"), "no task 9: the tasks are 1 2 3"),
    "an unknown id on an empty list": (lambda: claimed((), "1", "alice"), "there are no tasks yet"),
    "an unknown blocker": (
        lambda: update(three(), "1", TaskChange(add_blocked_by=("9",)), "lead"),
        "no task 9",
    ),
    "a cycle of one": (
        lambda: update(three(), "1", TaskChange(add_blocks=("1",)), "lead"),
        "that is a cycle, 1 → 1.",
    ),
    "a longer cycle": (
        lambda: update(three(), "1", TaskChange(add_blocked_by=("3",)), "lead"),
        "that is a cycle, 1 → 3 → 1.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str):
    change, words = REFUSED[case]
    with pytest.raises(TaskRefused) as refused:
        change()
    assert words in str(refused.value)


def test_all_of_a_change_or_nothing():
    before = three()
    with pytest.raises(TaskRefused):
        update(before, "3", TaskChange(subject="new", status="in_progress"), "alice")
    assert before == three()


def test_completing_records_the_work():
    work = FinishedWork(("a1", "b2"), "b2", "2 commits")
    tasks = claimed(three(), "1", "alice")
    task = update(tasks, "1", TaskChange(status="completed"), "alice", work=work)[0]
    assert (task.status, task.owner, task.commits, task.completed_commit, task.result) == (
        "completed",
        "alice",
        ("a1", "b2"),
        "b2",
        "2 commits",
    )


def test_completing_again_changes_nothing():
    tasks = completed(three(), "1", "alice")
    assert update(tasks, "1", TaskChange(status="completed"), "alice") is tasks


@pytest.mark.parametrize("by", ["alice", "lead"])
@pytest.mark.parametrize("change", [TaskChange(status="pending"), TaskChange(owner="")])
def test_the_owner_and_the_lead_can_release(by: str, change: TaskChange):
    task = update(claimed(three(), "1", "alice"), "1", change, by)[0]
    assert (task.status, task.owner, task.claim_base) == ("pending", None, None)


def test_the_lead_can_have_a_completed_task_done_again():
    tasks = update(completed(three(), "1", "alice"), "1", TaskChange(status="pending"), "lead")
    assert claimed(tasks, "1", "bob")[0].owner == "bob"


def test_an_empty_owner_beside_a_status_says_nothing():
    assert update(three(), "1", TaskChange(status="in_progress", owner=""), "alice")[0].owner == "alice"


def test_the_owner_of_an_assignment_still_has_to_claim():
    change = TaskChange(owner="alice", status="in_progress")
    tasks, updated = transitions.update(three(), "1", change, by="lead", at=LATER)
    assert (updated.step, updated.task.status, updated.task.owner) == ("assigned", "pending", "alice")
    assert claimed(tasks, "1", "alice")[0].status == "in_progress"


def test_the_lead_can_give_a_held_task_to_another():
    task = update(claimed(three(), "1", "alice"), "1", TaskChange(owner="bob"), "lead")[0]
    assert (task.status, task.owner) == ("pending", "bob")


def test_a_teammate_can_reserve_a_free_task_for_itself():
    assert update(three(), "1", TaskChange(owner="alice"), "alice")[0].owner == "alice"


def test_a_dead_members_tasks_go_back_with_a_note():
    tasks = claimed(claimed(three(), "1", "bob"), "2", "alice")
    after, released = transitions.release_all(tasks, "bob", at=LATER, note="bob died; it had committed a1")
    assert [task.id for task in released] == ["1"]
    assert (after[0].status, after[0].owner, after[0].result) == (
        "pending",
        None,
        "bob died; it had committed a1",
    )
    assert after[1] == tasks[1]
    assert claimed(after, "1", "alice")[0].result == "bob died; it had committed a1"


def test_what_is_claimable():
    tasks = update(three(), "2", TaskChange(owner="alice"), "lead")
    assert [task.id for task in claimable(tasks)] == ["1"]
    assert [task.id for task in claimable(tasks, "alice")] == ["1", "2"]
    assert [task.id for task in claimable(completed(completed(tasks, "1", "bob"), "2", "alice"))] == ["3"]


def test_what_a_completion_unblocks():
    before = claimed(completed(three(), "1", "alice"), "2", "alice")
    after = update(before, "2", TaskChange(status="completed"), "alice")
    assert [task.id for task in unblocked(before, after)] == ["3"]
    assert unblocked(three(), before) == ()


def test_one_line_a_task():
    tasks = update(claimed(three(), "1", "alice"), "3", TaskChange(owner="bob"), "lead")
    assert render_list(tasks).splitlines() == [
        "1 [in_progress] split the parser (alice)",
        "2 [pending] split the printer",
        "3 [pending] run the tests (bob, blocked by 1 2)",
    ]
    assert render_list(completed(three(), "1", "alice")).splitlines() == [
        "1 [completed] split the parser (alice)",
        "2 [pending] split the printer",
        "3 [pending] run the tests (blocked by 2)",
    ]
    assert render_list(()) == "There are no tasks yet."
    assert render_line(Task("1", "two\nlines"), ()) == "1 [pending] two lines"


def test_a_task_whole():
    tasks = three()
    assert render_task(tasks[2], tasks) == (
        "3 [pending] run the tests (blocked by 1 2)\n\nAll of: run the tests\n\nblocked by: 1 2"
    )
    done = Task("1", "split", status="completed", owner="alice", commits=("a1", "b2"), result="2 commits")
    assert render_task(done, (done,)) == "1 [completed] split (alice)\n\ncommits: a1 b2\nnote: 2 commits"


members = st.sampled_from(["lead", "alice", "bob", "carol"])
ids = st.sampled_from(["1", "2", "3", "4", "5"])
some_ids = st.lists(ids, max_size=2).map(tuple)
changes = st.builds(
    TaskChange,
    status=st.sampled_from([None, "pending", "in_progress", "completed"]),
    owner=st.sampled_from([None, None, "", "alice", "bob"]),
    add_blocks=some_ids,
    add_blocked_by=some_ids,
)


@given(st.lists(st.tuples(members, ids, changes), max_size=40))
def test_no_run_of_changes_breaks_the_list(steps: list[tuple[str, str, TaskChange]]):
    tasks: Tasks = ()
    for number in range(5):
        tasks, _ = transitions.create(tasks, f"task {number}", "", by="lead", at=AT)
    for by, task_id, change in steps:
        try:
            after, updated = transitions.update(tasks, task_id, change, by=by, at=LATER)
        except TaskRefused:
            continue
        newly_claimed = updated.task.status == "in_progress" and updated.before.status != "in_progress"
        assert not (newly_claimed and unfinished_blockers(after, updated.task))
        assert not (updated.before.status == "in_progress" and by not in ("lead", updated.before.owner)) or (
            (updated.task.status, updated.task.owner) == (updated.before.status, updated.before.owner)
        )
        tasks = after
        check(tasks)


def check(tasks: Tasks) -> None:
    assert [task.id for task in tasks] == ["1", "2", "3", "4", "5"]
    edges = {(task.id, blocked) for task in tasks for blocked in task.blocks}
    assert edges == {(blocker, task.id) for task in tasks for blocker in task.blocked_by}
    assert all(task.owner for task in tasks if task.status != "pending")
    remaining = {task.id: set(task.blocked_by) for task in tasks}
    while free := [task_id for task_id, waits in remaining.items() if not waits & remaining.keys()]:
        for task_id in free:
            del remaining[task_id]
    assert not remaining, "a cycle"
