"""Which mail a change to the task list gives rise to. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from roocode.engine.team import mail
from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.tasks import Updated
from roocode.protocol.team import LEAD, StatusUpdate, Task, TaskAssignment


def letters(
    updated: Updated, freed: Tasks, *, names: Iterable[str], by: str, at: str
) -> tuple[TaskAssignment | StatusUpdate, ...]:
    """An assignment to a new owner, or status updates to all others in `names` on what ended or is free.

    `freed` are the tasks that the change unblocked. An assignment that is repeated is written again: a
    lead that was killed may not have written the first.
    """
    task, before = updated.task, updated.before
    if updated.step == "assigned":
        if by != LEAD or task.owner in (None, LEAD) or task.status != "pending":
            return ()
        moved = f"Task {task.id} ({task.subject}) belongs to {task.owner} now."
        loser = before.owner if before.owner not in (None, LEAD, task.owner) else None
        lost = (_status(loser, moved, by, at),) if loser else ()
        return (_assignment(task, by, at), *lost)
    if updated.step not in ("completed", "released") or task == before:
        return ()
    text = f"Task {task.id} ({task.subject}) is {task.status}"
    text += f", released by {by}." if updated.step == "released" else "."
    if freed:
        text += f" Not blocked any more: {' '.join(other.id for other in freed)}."
    return tuple(_status(name, text, by, at) for name in names if name != by)


def _assignment(task: Task, by: str, at: str) -> TaskAssignment:
    return TaskAssignment(
        id=mail.new_id(),
        from_=by,
        to=task.owner or "",
        timestamp=at,
        summary=f"Task {task.id}: {task.subject}",
        task_id=task.id,
    )


def _status(to: str, text: str, by: str, at: str) -> StatusUpdate:
    return StatusUpdate(
        id=mail.new_id(), from_=by, to=to, timestamp=at, summary=mail.summary_of(text), text=text
    )
