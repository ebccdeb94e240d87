"""Freeing what a member holds, and reading from the record how its lives ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team import tasks
from roocode.engine.team.release import free_tasks, has_died, was_asked_to_stop, was_at_work
from roocode.engine.team.store.event_log import Record
from roocode.protocol.team import MemberReport
from tests.engine.team.on_disk import AT, team_store


def record(kind: str, member: str = "alice", **detail: Any) -> Record:
    return Record(0, AT, kind, "crew", member, detail)


def written(kind: str, sender: str, to: str) -> Record:
    return record("message_written", sender, type=kind, to=to)


ASKED = written("shutdown_request", "lead", "alice")
ANSWERED = written("shutdown_response", "alice", "lead")


@pytest.mark.parametrize(
    ("records", "asked"),
    [
        ([], False),
        ([record("spawned"), ASKED], True),
        ([ASKED, record("ready"), record("active")], True),
        ([ASKED, ANSWERED], False),
        ([ASKED, record("restarted")], False),
        ([ASKED, record("restarted", "bob"), written("shutdown_response", "bob", "lead")], True),
        ([written("shutdown_request", "lead", "bob")], False),
        ([ANSWERED, ASKED], True),
    ],
)
def test_a_request_to_stop_stands_open_until_it_is_answered_or_a_new_life_begins(
    records: list[Record], asked: bool
):
    assert was_asked_to_stop(records, "alice") is asked


@pytest.mark.parametrize(
    ("kinds", "died"),
    [
        ([], False),
        (["spawned", "ready"], False),
        (["ready", "died"], True),
        (["died", "claimed"], True),
        (["died", "restarted"], False),
        (["died", "stopped"], False),
    ],
)
def test_a_death_counts_until_the_next_life(kinds: list[str], died: bool):
    assert has_died([*map(record, kinds), record("died", "bob")], "alice") is died


@pytest.mark.parametrize(
    ("report", "at_work"),
    [
        (None, False),
        (MemberReport("alice", 1, "active"), True),
        (MemberReport("alice", 1, "waiting"), True),
        (MemberReport("alice", 1, "idle"), False),
        (MemberReport("alice", 1, "stopped", exit={"code": 143, "active": True}), True),
        (MemberReport("alice", 1, "stopped", exit={"code": 0, "active": False}), False),
        (MemberReport("alice", 1, "stopped", exit={"code": 0}), False),
    ],
)
def test_whether_a_life_ended_in_the_middle_of_a_turn(report: MemberReport | None, at_work: bool):
    assert was_at_work(report) is at_work


def test_only_what_it_has_in_progress_is_freed_and_recorded(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    for subject in ("one", "two", "three"):
        store.change_tasks(lambda now, s=subject: tasks.create(now, s, "", by="lead", at=AT))
    store.change_tasks(lambda now: (tasks.claim(now, "1", by="alice", at=AT), None))
    store.change_tasks(lambda now: (tasks.assign(now, "2", "alice", by="lead", at=AT), None))
    store.change_tasks(lambda now: (tasks.claim(now, "3", by="bob", at=AT), None))
    assert [task.id for task in free_tasks(store, "alice", "died")] == ["1"]
    found = [(task.status, task.owner) for task in store.tasks()]
    assert found == [("pending", None), ("pending", "alice"), ("in_progress", "bob")]
    assert store.tasks()[0].result == (
        "alice died while it had this task; what it had committed is on its branch."
    )
    [released] = store.events()
    assert (released.kind, released.member, released.detail["task"]) == ("released", "alice", "1")
    assert free_tasks(store, "alice", "died") == ()
