"""The shared task list as pure transitions: each takes the list and gives the next one, or refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from roocode.engine.team.dependencies import Tasks, cycle, unfinished_blockers
from roocode.protocol.errors import ModelError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import LEAD, Task, TaskStatus

TaskStep: TypeAlias = Literal["claimed", "completed", "released", "assigned", "updated"]


class TaskRefused(ModelError):
    """A change that the task list does not allow; the text says why."""


@frozen
class TaskChange:
    """What a TaskUpdate asks for; None leaves a field alone, an `owner` of "" alone gives the task up."""

    status: TaskStatus | None = None
    owner: str | None = None
    subject: str | None = None
    description: str | None = None
    add_blocks: tuple[str, ...] = ()
    add_blocked_by: tuple[str, ...] = ()


@frozen
class FinishedWork:
    """What git says of a completion: the commits since the claim, the last of them, and a line on it."""

    commits: tuple[str, ...] = ()
    commit: str | None = None
    note: str = ""


@frozen
class Updated:
    """A task after a change, as it was before, and what the change came to; `note` is for the model."""

    step: TaskStep
    task: Task
    before: Task
    note: str = ""


def find(tasks: Tasks, task_id: str) -> Task:
    """The task with this id. Raises TaskRefused, naming the ids there are."""
    for task in tasks:
        if task.id == task_id:
            return task
    known = f"the tasks are {' '.join(task.id for task in tasks)}" if tasks else "there are no tasks yet"
    raise TaskRefused(f"There is no task {task_id}: {known}.")


def create(tasks: Tasks, subject: str, description: str, *, by: str, at: str) -> tuple[Tasks, Task]:
    """Adds a pending task under the next short number."""
    number = 1 + max((int(task.id) for task in tasks if task.id.isdecimal()), default=0)
    task = Task(str(number), subject, description, created_by=by, created_at=at, updated_at=at)
    return (*tasks, task), task


def update(
    tasks: Tasks,
    task_id: str,
    change: TaskChange,
    *,
    by: str,
    at: str,
    base: str | None = None,
    work: FinishedWork | None = None,
) -> tuple[Tasks, Updated]:
    """Makes all of a change that the member `by` asks for, or none of it. Raises TaskRefused.

    `base` is the commit to record at a claim, `work` what to record at a completion.
    """
    before = find(tasks, task_id)
    tasks = _edit(tasks, before, change, at)
    tasks = _link(tasks, task_id, change, at)
    match step_of(change, by):
        case "claimed":
            tasks = claim(tasks, task_id, by=by, at=at, base=base)
        case "completed":
            tasks = complete(tasks, task_id, by=by, at=at, work=work or FinishedWork())
        case "released":
            tasks = _give_up(tasks, task_id, by=by, at=at)
        case "assigned":
            tasks = assign(tasks, task_id, change.owner or by, by=by, at=at)
        case "updated":
            pass
    return tasks, Updated(step_of(change, by), find(tasks, task_id), before)


def step_of(change: TaskChange, by: str) -> TaskStep:
    """What a change comes to. An owner other than the caller makes it an assignment: the owner claims."""
    if change.status is None:
        edits: dict[str | None, TaskStep] = {None: "updated", "": "released"}
        return edits.get(change.owner, "assigned")
    if change.status == "completed":
        return "completed"
    if change.owner not in (None, "", by):
        return "assigned"
    return "claimed" if change.status == "in_progress" else "released"


def claim(tasks: Tasks, task_id: str, *, by: str, at: str, base: str | None = None) -> Tasks:
    """Compare-and-set from pending to in_progress; claiming again what one holds changes nothing.

    Raises TaskRefused with `owned by` or `blocked by`.
    """
    task = find(tasks, task_id)
    if task.owner not in (None, by):
        raise TaskRefused(f"Task {task_id} is {task.status}, owned by {task.owner}: choose another one.")
    if task.status == "completed":
        raise TaskRefused(f"Task {task_id} is completed already.")
    if task.status == "in_progress":
        return tasks
    if blockers := unfinished_blockers(tasks, task):
        raise TaskRefused(f"Task {task_id} is blocked by {' '.join(blockers)}: not finished yet.")
    return _put(tasks, replace(task, status="in_progress", owner=by, claim_base=base, updated_at=at))


def complete(tasks: Tasks, task_id: str, *, by: str, at: str, work: FinishedWork) -> Tasks:
    """From in_progress to completed, by its owner alone; completing it again changes nothing.

    Raises TaskRefused with `not yours: claim it again`.
    """
    task = find(tasks, task_id)
    if task.owner != by or task.status == "pending":
        owner = f", owned by {task.owner}" if task.owner else ""
        raise TaskRefused(f"Task {task_id} is not yours: claim it again (it is {task.status}{owner}).")
    if task.status == "completed":
        return tasks
    done = replace(
        task,
        status="completed",
        result=work.note or None,
        commits=work.commits,
        completed_commit=work.commit,
        updated_at=at,
    )
    return _put(tasks, done)


def release(tasks: Tasks, task_id: str, *, at: str, note: str | None = None) -> Tasks:
    """Back to pending without an owner; `note` stays as the task's result until it is completed."""
    task = find(tasks, task_id)
    free = replace(
        task,
        status="pending",
        owner=None,
        claim_base=None,
        completed_commit=None,
        result=task.result if note is None else note,
        updated_at=at,
    )
    return _put(tasks, free)


def release_all(tasks: Tasks, owner: str, *, at: str, note: str) -> tuple[Tasks, Tasks]:
    """Releases what a dead member had in progress; gives the list and the released tasks."""
    held = [task.id for task in tasks if task.owner == owner and task.status == "in_progress"]
    for task_id in held:
        tasks = release(tasks, task_id, at=at, note=note)
    return tasks, tuple(find(tasks, task_id) for task_id in held)


def assign(tasks: Tasks, task_id: str, owner: str, *, by: str, at: str) -> Tasks:
    """Reserves a task for a member, who still has to claim it; takes it from another who has it.

    A teammate can reserve a free task for itself only. Raises TaskRefused.
    """
    task = find(tasks, task_id)
    if by != LEAD and owner != by:
        raise TaskRefused(f"Only the lead gives tasks to others: leave task {task_id} on the list.")
    if by != LEAD and task.owner not in (None, by):
        raise TaskRefused(f"Task {task_id} is {task.status}, owned by {task.owner}: choose another one.")
    if task.status == "completed":
        raise TaskRefused(f"Task {task_id} is completed already: set it to pending to have it done again.")
    if task.owner == owner:
        return tasks
    return _put(tasks, replace(task, status="pending", owner=owner, claim_base=None, updated_at=at))


def _give_up(tasks: Tasks, task_id: str, *, by: str, at: str) -> Tasks:
    task = find(tasks, task_id)
    if task.owner is None:
        return tasks
    if by not in (LEAD, task.owner):
        raise TaskRefused(
            f"Task {task_id} is {task.status}, owned by {task.owner}: it is not yours to release."
        )
    return release(tasks, task_id, at=at)


def _edit(tasks: Tasks, task: Task, change: TaskChange, at: str) -> Tasks:
    subject = task.subject if change.subject is None else change.subject
    description = task.description if change.description is None else change.description
    if (subject, description) == (task.subject, task.description):
        return tasks
    return _put(tasks, replace(task, subject=subject, description=description, updated_at=at))


def _link(tasks: Tasks, task_id: str, change: TaskChange, at: str) -> Tasks:
    pairs = [(blocker, task_id) for blocker in change.add_blocked_by]
    pairs += [(task_id, blocked) for blocked in change.add_blocks]
    for blocker, blocked in pairs:
        before, after = find(tasks, blocker), find(tasks, blocked)
        if blocker in after.blocked_by:
            continue
        if circle := cycle(tasks, blocker, blocked):
            raise TaskRefused(
                f"Task {blocked} cannot be blocked by {blocker}: that is a cycle, {' → '.join(circle)}."
            )
        tasks = _put(tasks, replace(before, blocks=(*before.blocks, blocked), updated_at=at))
        after = find(tasks, blocked)
        tasks = _put(tasks, replace(after, blocked_by=(*after.blocked_by, blocker), updated_at=at))
    return tasks


def _put(tasks: Tasks, task: Task) -> Tasks:
    return tuple(task if other.id == task.id else other for other in tasks)
