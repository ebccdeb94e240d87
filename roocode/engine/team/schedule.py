"""Which branch to merge next, whether the team is finished, and which tasks nobody will take. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from roocode.engine.team.dependencies import Tasks, unfinished_blockers
from roocode.protocol.frozen import frozen
from roocode.protocol.team import AT_WORK, MemberState

_GONE: frozenset[MemberState] = frozenset({"stopped", "dead"})


@frozen
class Finished:
    """All tasks are completed, all branches merged, and nobody works."""


@frozen
class Unfinished:
    """What is left, one reason a line."""

    reasons: tuple[str, ...]


Progress: TypeAlias = Finished | Unfinished


def finished(tasks: Tasks, members: Mapping[str, MemberState], merged: Collection[str]) -> Progress:
    """Judges from tasks, processes and merges, never from what the lead says.

    `merged` names the members whose branches are contained in the integration branch as they stand now.
    A team without a task is not finished: it has done nothing.
    """
    reasons = [] if tasks else ["there are no tasks"]
    for task in tasks:
        if task.status != "completed":
            owner = f", owned by {task.owner}" if task.owner else ""
            reasons.append(f"task {task.id} is {task.status}{owner}: {task.subject}")
    reasons += [f"{name} is {state}" for name, state in members.items() if state in AT_WORK]
    reasons += [f"the branch of {name} is not merged" for name in members if name not in merged]
    return Unfinished(tuple(reasons)) if reasons else Finished()


def stranded(tasks: Tasks, members: Mapping[str, MemberState]) -> Tasks:
    """Pending tasks that wait for nothing and that nobody will take.

    An owned task will be taken unless its owner is gone: the assignment wakes an idle one. One without an
    owner is taken by a member that is at work, since only those look at the list.
    """
    anybody = any(state in AT_WORK for state in members.values())

    def lost(owner: str | None) -> bool:
        return not anybody if owner is None else members.get(owner, "stopped") in _GONE

    return tuple(
        task
        for task in tasks
        if task.status == "pending" and not unfinished_blockers(tasks, task) and lost(task.owner)
    )


def merge_order(
    members: Sequence[str], tasks: Tasks, conflicts: Collection[frozenset[str]]
) -> tuple[str, ...]:
    """The order to merge the members' branches in.

    A member comes after those whose tasks its own tasks build on; among equals the one with the fewest
    forecast conflicts (pairs of names), then the roster's order. In a circle, which two members that build
    on each other make, the one that waits for the fewest goes first.
    """
    before = _predecessors(members, tasks)
    quarrels = {name: sum(name in pair for pair in conflicts) for name in members}
    order: list[str] = []
    while len(order) < len(members):
        left = [name for name in members if name not in order]
        order.append(min(left, key=lambda name: (len(before[name].difference(order)), quarrels[name])))
    return tuple(order)


def _predecessors(members: Sequence[str], tasks: Tasks) -> dict[str, set[str]]:
    """For each member those whose tasks its tasks are blocked by, over any number of tasks in between."""
    by_id = {task.id: task for task in tasks}
    before: dict[str, set[str]] = {name: set() for name in members}
    for task in tasks:
        if task.owner not in before:
            continue
        todo = list(task.blocked_by)
        seen: set[str] = set()
        while todo:
            blocker = by_id.get(todo.pop())
            if blocker is None or blocker.id in seen:
                continue
            seen.add(blocker.id)
            todo.extend(blocker.blocked_by)
            if blocker.owner in before and blocker.owner != task.owner:
                before[task.owner].add(blocker.owner)
    return before
