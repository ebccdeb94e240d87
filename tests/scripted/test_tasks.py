"""Reading the team's tasks.json while other processes write it, and waiting for it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from roocode.scripted.server import ScriptedServer
from roocode.scripted.tasks import TaskFile
from tests.scripted.talk import Agent

Start = Callable[..., ScriptedServer]


def write(root: Path, team: str, *lines: dict[str, Any]) -> Path:
    """Replaces a team's tasks.json, as the store does."""
    path = root / ".roocode" / "teams" / team / "tasks.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps({"schema": 1, "tasks": lines}))
    os.replace(temporary, path)
    return path


def line(number: int, status: str = "pending", **more: Any) -> dict[str, Any]:
    return {"id": str(number), "subject": f"Task number {number}", "status": status, **more}


def test_the_asking_teams_file_counts_else_the_newest(tmp_path: Path) -> None:
    old = write(tmp_path / "project", "t1", line(1))
    new = write(tmp_path / "project", "t2", line(2, "in_progress", owner="bob", blockedBy=["1"]))
    os.utime(old, (1000, 1000))
    os.utime(new, (2000, 2000))
    tasks = TaskFile(tmp_path)
    assert [task.id for task in tasks.read("t1")] == ["1"]
    newest = tasks.read()[0]
    assert (newest.id, newest.status, newest.owner, newest.blocked_by) == ("2", "in_progress", "bob", ("1",))


def test_a_file_that_appears_later_and_changes_is_seen(tmp_path: Path) -> None:
    tasks = TaskFile(tmp_path)
    assert tasks.read() == ()
    write(tmp_path, "t", line(1))
    assert tasks.read()[0].status == "pending"
    write(tmp_path, "t", line(1, "completed"))
    assert tasks.read()[0].status == "completed"


def test_a_pattern_names_the_file_itself(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "down", "t", line(3))
    assert TaskFile(tmp_path, "**/tasks.json").read()[0].id == "3"
    assert TaskFile(None, str(tmp_path / "deep/down/.roocode/teams/t/tasks.json")).read()[0].id == "3"


def test_a_broken_file_has_no_tasks(tmp_path: Path) -> None:
    path = write(tmp_path, "t", line(1))
    for content in ('{"tasks": [', "[]", '{"tasks": [{"id": "1"}]}', "\udcff"):
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        assert TaskFile(tmp_path).read() == ()


def test_worktrees_are_not_searched(tmp_path: Path) -> None:
    write(tmp_path / ".roocode" / "worktrees" / "t" / "alice", "other", line(1))
    assert TaskFile(tmp_path).read() == ()


def test_an_answer_is_held_until_the_task_is_done(scripted: Start, tmp_path: Path) -> None:
    write(tmp_path, "t", line(1, "in_progress"), line(2, blockedBy=["1"]))
    until = {"tasks": {"1": "completed"}, "claimable": "Task number 2"}
    call = {"tool": "TaskUpdate", "input": {"x": "{{ task('Task number 2') }}"}}
    server = scripted(
        {"agents": {"alice": [{"wait": {"until": until}, "calls": [call]}]}}, tasks_root=tmp_path
    )
    agent = Agent(server.url, name="alice", team="t")
    asking = threading.Thread(target=agent.say, args=("Go.",))
    asking.start()
    while not (server.log and server.log[0].step):
        asking.join(0.01)
    assert server.log[0].status is None
    write(tmp_path, "t", line(1, "completed"), line(2, blockedBy=["1"]))
    asking.join(10)
    assert [call["input"] for call in agent.calls()] == [{"x": "2"}]


def test_a_wait_that_is_in_vain_fails_loudly(scripted: Start, tmp_path: Path) -> None:
    write(tmp_path, "t", line(1))
    step = {"wait": {"until": {"all_tasks": "completed"}, "timeout_s": 0.05}, "text": "Done."}
    server = scripted({"agents": {"main": [step]}}, tasks_root=tmp_path, expects_failures=True)
    response = Agent(server.url).say("Go.")
    assert response.status == 400
    expected = "main step 1: waited 0.05 s in vain: all_tasks: 1 is pending"
    assert expected in response.json["error"]["message"]
    assert expected in server.failures[0]


def test_conditions_choose_by_what_other_processes_did(scripted: Start, tmp_path: Path) -> None:
    write(tmp_path, "t", line(1, "completed"), line(2))
    steps = [
        {"when": {"all_tasks": "completed"}, "text": "All done."},
        {"always": True, "text": "I wait."},
    ]
    server = scripted({"agents": {"main": steps}}, tasks_root=tmp_path)
    agent = Agent(server.url)
    agent.say("Task 1 is done.")
    assert agent.text() == "I wait."
    write(tmp_path, "t", line(1, "completed"), line(2, "completed"))
    agent.say("Task 2 is done.")
    assert agent.text() == "All done."
