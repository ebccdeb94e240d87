"""Teammates that are killed in the middle of something: noticed at once, their tasks freed, started again."""

from __future__ import annotations

import signal
import time

import pytest

from tests.e2e.driver import TeamRun, acted_once, team_run
from tests.e2e.plays import AGAIN, Step, bash, call, edit, member, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

SLEEP = 'permissions: {allow: ["Bash(sleep *)"]}\n'
AFTER_ALICE = {"until": {"tasks": {"alice part": "completed"}}, "timeout_s": 60}


def commands(run: TeamRun, line: str) -> list[int]:
    return [pid for pid, found in run.processes().items() if found == line]


def asks_the_model(run: TeamRun, name: str) -> bool:
    """Whether a member's latest request waits for its answer."""
    mine = [record for record in run.server.log if record.sender.agent == name]
    return bool(mine) and mine[-1].outcome == "open" and bool(run.events("claimed", member=name))


def test_in_a_command_and_while_it_waits_for_the_model():
    play = team(
        {
            "alice": member(
                "alice part", {"calls": [bash("sleep 3600")]}, {"calls": edit("a.txt", "a", "alice")}
            ),
            "bob": member("bob part", {"calls": edit("b.txt", "b", "bob"), "wait": AFTER_ALICE}),
        }
    )
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: commands(run, "sleep 3600"), "alice's command runs")
        run.wait_for(lambda: asks_the_model(run, "bob"), "bob waits for the model")
        killed_at = time.monotonic()
        run.kill("bob")
        run.wait_for_event("died", "bob")
        assert time.monotonic() - killed_at < 1.5
        run.wait_for_event("ready", "bob", count=2)
        run.kill("alice")
        run.wait_for(lambda: not commands(run, "sleep 3600"), "the command dies with its agent", 5)
        assert run.wait_for_event("released", "alice").detail["task"] == run.tasks()["alice part"].id
        done = lead.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert [record.member for record in run.events("restarted")] == ["bob", "alice"]
        told = run.requests("alice", AGAIN)[0]
        for fact in ("its process ended without a word", "1 (alice part)", "Commits on your branch: none"):
            assert fact in told
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        acted_once(run)
        run.wait_until_nothing_is_left()


def test_in_the_middle_of_edits():
    edits = [call("EditFile", path="a.txt", old_string=f"<{n}>", new_string=f"<{n + 1}>") for n in range(300)]
    mend: Step = {
        "calls": [call("ReadFile", path="a.txt"), call("WriteFile", path="a.txt", content="whole\n")]
    }
    play = team({"alice": member("alice part", {"calls": [call("ReadFile", path="a.txt"), *edits]}, mend)})
    with team_run(play, files={"a.txt": "<0>\n", "check.py": ""}) as run:
        lead = run.team("-p", "--output-format", "json")
        file = run.worktree("alice") / "a.txt"
        run.wait_for(lambda: file.exists() and int(file.read_text().strip("<>\n")) > 20, "alice edits")
        run.kill("alice")
        assert file.read_text() in {f"<{n}>\n" for n in range(21, 300)}
        done = lead.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.git("show", "main:a.txt") == "whole"
        assert len(run.events("died")) == 1
        acted_once(run)


def test_after_the_third_death_the_lead_is_told():
    hopeless = member("alice part", {"calls": [bash("sleep 3600")]}, {"calls": [bash("sleep 3601")]})
    play = team({"alice": hopeless})
    play["agents"]["alice"].insert(
        0, {"always": True, "when": {"turns": {"at_least": 3}}, "calls": [bash("sleep 3602")]}
    )
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        for death in (1, 2, 3):
            run.wait_for_event("ready", "alice", count=death)
            run.wait_for(lambda: run.state("alice") == "active", "alice works")
            run.kill("alice")
            run.wait_for_event("died", "alice", count=death)
        done = lead.finish()
        assert (done.code, done.value["status"]) == (1, "incomplete"), run.describe()
        assert "task 1 is pending: alice part" in done.value["result"]
        assert len(run.events("restarted")) == 2
        assert run.requests("lead", "alice died and was not started again: its process ended without a word")
        member_ = done.value["members"][0]
        assert (member_["name"], member_["exit"]) == ("alice", None)
        run.wait_until_nothing_is_left()


def test_one_that_is_only_stopped_by_a_signal_is_not_dead():
    play = team({"alice": member("alice part", {"calls": [bash("sleep 1.5")]})})
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: commands(run, "sleep 1.5"), "alice's command runs")
        pid = run.kill("alice", signal.SIGSTOP)
        seen = len(run.events())
        status = run.roocode("team", "status", "--json").value
        assert status["members"][0]["pid"] == pid
        assert status["members"][0]["state"] in ("active", "ready")
        run.kill("alice", signal.SIGCONT)
        done = lead.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.events("died") == []
        assert len(run.events()) > seen
