"""Merge order, the end of a team's work, and tasks that nobody will take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.team.schedule import Finished, Unfinished, finished, merge_order, stranded
from roocode.protocol.team import MemberState, Task, TaskStatus


def task(id: str, owner: str | None = None, *blocked_by: str, status: TaskStatus = "completed") -> Task:
    return Task(id, f"subject {id}", owner=owner, blocked_by=blocked_by, status=status)


@pytest.mark.parametrize(
    ("tasks", "conflicts", "order"),
    [
        ((), (), "abc"),
        ((task("1", "a", "2"), task("2", "b")), (), "bac"),
        ((task("1", "a", "2"), task("2", "b", "3"), task("3", "c")), (), "cba"),
        ((task("1", "a", "2"), task("2", None, "3"), task("3", "c")), (), "bca"),
        ((), ("ab", "ac"), "bca"),
        ((task("1", "b", "2"), task("2", "a")), ("ab", "ac"), "cab"),
        ((task("1", "a", "2"), task("2", "b", "3"), task("3", "a")), (), "cab"),
        ((task("1", "a", "9"), task("2", "x", "1")), (), "abc"),
        ((task("1", "a", "2"), task("2", "a", "1")), (), "abc"),
    ],
)
def test_merge_order(tasks: tuple[Task, ...], conflicts: tuple[str, ...], order: str) -> None:
    assert merge_order("abc", tasks, [frozenset(pair) for pair in conflicts]) == tuple(order)


@st.composite
def boards(draw: st.DrawFn) -> tuple[Task, ...]:
    """Tasks that wait only for earlier ones."""
    owners = draw(st.lists(st.sampled_from("abcd"), max_size=8))
    tasks = []
    for number, owner in enumerate(owners):
        earlier = [str(other) for other in range(number)]
        blockers = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
        tasks.append(task(str(number), owner, *blockers))
    return tuple(tasks)


@given(boards(), st.lists(st.sets(st.sampled_from("abcd"), min_size=2, max_size=2)))
def test_the_order_names_each_once_and_respects_owners_of_one_task(
    tasks: tuple[Task, ...], conflicts: list[set[str]]
) -> None:
    order = merge_order("abcd", tasks, [frozenset(pair) for pair in conflicts])
    assert sorted(order) == list("abcd")
    first_of_each = {t.owner: t for t in reversed(tasks)}
    single = tuple(
        t for t in tasks if first_of_each[t.owner] is t and sum(o.owner == t.owner for o in tasks) == 1
    )
    owner_of = {t.id: t.owner for t in single}
    order = merge_order("abcd", single, [frozenset(pair) for pair in conflicts])
    for one in single:
        for blocker in one.blocked_by:
            if blocker in owner_of:
                assert order.index(str(owner_of[blocker])) < order.index(str(one.owner))


def test_finished_only_when_tasks_processes_and_merges_say_so() -> None:
    tasks = (task("1", "a"), task("2", "b"))
    idle: dict[str, MemberState] = {"a": "idle", "b": "dead"}
    assert finished(tasks, idle, {"a", "b"}) == Finished()
    assert finished(tasks, idle, {"a"}) == Unfinished(("the branch of b is not merged",))
    assert finished((), {}, ()) == Unfinished(("there are no tasks",))
    started = replace(tasks[1], status="in_progress")
    assert finished((tasks[0], started), {**idle, "b": "active"}, {"a", "b"}) == Unfinished(
        ("task 2 is in_progress, owned by b: subject 2", "b is active")
    )
    waiting = task("3", None, "2", status="pending")
    assert finished((*tasks, waiting), idle, {"a", "b"}) == Unfinished(("task 3 is pending: subject 3",))


@pytest.mark.parametrize("state", ["starting", "ready", "active", "waiting"])
def test_nobody_at_work_may_be_left_behind(state: MemberState) -> None:
    assert finished((task("1", "a"),), {"a": state}, {"a"}) == Unfinished((f"a is {state}",))


@pytest.mark.parametrize(
    ("tasks", "members", "ids"),
    [
        ((task("1", status="pending"),), {"a": "active"}, ()),
        ((task("1", status="pending"),), {"a": "idle", "b": "dead"}, ("1",)),
        ((task("1", status="pending"),), {}, ("1",)),
        ((task("1", "a", status="pending"),), {"a": "idle"}, ()),
        ((task("1", "a", status="pending"),), {"a": "dead", "b": "active"}, ("1",)),
        ((task("1", "gone", status="pending"),), {"b": "active"}, ("1",)),
        ((task("1", None, "2", status="pending"), task("2", status="pending")), {"a": "idle"}, ("2",)),
        ((task("1", None, "2", status="pending"), task("2")), {"a": "idle"}, ("1",)),
        ((task("1", "a", status="in_progress"),), {"a": "dead"}, ()),
    ],
)
def test_stranded(tasks: tuple[Task, ...], members: dict[str, MemberState], ids: tuple[str, ...]) -> None:
    assert tuple(t.id for t in stranded(tasks, members)) == ids
