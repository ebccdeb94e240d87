"""Dataclasses made without pydantic."""

import subprocess
import sys

import pytest

from roocode.engine.team.fitting import Fitting
from roocode.engine.team.store.event_log import Record
from roocode.protocol.team import Member, MemberReport, PermissionResponse, Task, Team

TASK = {"id": "1", "subject": "Move it", "status": "in_progress", "blocks": ["2", "3"], "owner": None}


def test_what_fits_is_made_with_its_lists_as_tuples():
    assert Fitting(Task).make(TASK) == Task("1", "Move it", status="in_progress", blocks=("2", "3"))


def test_unknown_fields_are_ignored():
    assert Fitting(Task).make({**TASK, "mood": {"good": True}}) == Fitting(Task).make(TASK)


def test_a_nested_value_of_the_vocabulary_is_taken_as_it_is():
    alice = Member("alice", "a-1", "teammate", "m", "cyan", "/w", "b", "tmux")
    roster = {"name": "t", "lead_agent_id": "a", "goal": "g", "created_at": "", "base_branch": None}
    roster |= {"base_commit": "c", "integration_branch": "i", "members": (alice,)}
    team = Fitting(Team).make(roster)
    assert team is not None
    assert team.members == (alice,)


def test_free_form_values_are_not_looked_into():
    detail = {"task": "1", "more": [1, {"a": None}]}
    record = {"seq": 1, "timestamp": "", "kind": "released", "team": "t", "detail": detail}
    assert Fitting(Record).make(record) == Record(1, "", "released", "t", detail=detail)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Task, {"id": "1"}),
        (Task, {**TASK, "id": 1}),
        (Task, {**TASK, "status": "done"}),
        (Task, {**TASK, "status": ["pending"]}),
        (Task, {**TASK, "blocks": "2"}),
        (Task, {**TASK, "blocks": ["2", 3]}),
        (Task, {**TASK, "subject": "half a pair \ud83d"}),
        (MemberReport, {"name": "alice", "pid": True, "state": "idle"}),
        (MemberReport, {"name": "alice", "pid": 1, "state": "idle", "cost_usd": "0.1"}),
        (MemberReport, {"name": "alice", "pid": 1, "state": "idle", "exit": {"\ud83d": 1}}),
        (PermissionResponse, {"id": "m1", "from_": "lead", "to": "alice", "timestamp": "", "summary": ""}),
    ],
)
def test_what_does_not_fit_is_left_to_the_thorough_way(kind: type, fields: dict[str, object]):
    assert Fitting(kind).make(fields) is None


def test_reading_what_we_wrote_loads_no_pydantic():
    program = (
        "import sys\n"
        "from roocode.engine.team.codec import decode, encode\n"
        "from roocode.protocol.team import MemberReport, Task\n"
        "for value in (Task('1', 'Ümlaut', blocks=('2',)), MemberReport('a', 1, 'idle', cost_usd=0.5)):\n"
        "    assert decode(type(value), encode(value)) == value\n"
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
