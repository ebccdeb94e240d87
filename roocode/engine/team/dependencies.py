"""What the edges between tasks say: who waits for whom, what is free, what would be a cycle. Pure."""

from __future__ import annotations

from typing import TypeAlias

from roocode.protocol.team import Task

Tasks: TypeAlias = tuple[Task, ...]


def unfinished_blockers(tasks: Tasks, task: Task) -> tuple[str, ...]:
    """Ids of the tasks that this one still waits for."""
    if not task.blocked_by:
        return ()
    finished = {other.id for other in tasks if other.status == "completed"}
    return tuple(blocker for blocker in task.blocked_by if blocker not in finished)


def claimable(tasks: Tasks, by: str | None = None) -> Tasks:
    """Pending tasks that wait for nothing and have no owner; with `by`, also those reserved for it."""
    return tuple(
        task
        for task in tasks
        if task.status == "pending" and task.owner in (None, by) and not unfinished_blockers(tasks, task)
    )


def unblocked(before: Tasks, after: Tasks) -> Tasks:
    """Pending tasks that waited for something before and wait for nothing after."""
    waited = {task.id for task in before if unfinished_blockers(before, task)}
    return tuple(
        task
        for task in after
        if task.id in waited and task.status == "pending" and not unfinished_blockers(after, task)
    )


def cycle(tasks: Tasks, blocker: str, blocked: str) -> tuple[str, ...]:
    """The circle that an edge from `blocker` to `blocked` would close, first id repeated; empty if none."""
    waits_for = {task.id: task.blocked_by for task in tasks}
    paths: list[tuple[str, ...]] = [(blocked, blocker)]
    seen = set[str]()
    while paths:
        path = paths.pop()
        if path[-1] == blocked:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths.extend((*path, following) for following in waits_for.get(path[-1], ()))
    return ()
