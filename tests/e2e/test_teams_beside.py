"""Two teams in one repository at once, and a team whose members ask from inside the lead's process."""

from __future__ import annotations

import json

import pytest

from tests.e2e.driver import GOAL, MODEL, team_run
from tests.e2e.plays import Step, bash, edit, member, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


def test_two_teams_do_not_meet():
    """One moves the branch; the other finds it moved, touches nothing, and says how to take its result."""
    wait: Step = {"until": {"all_tasks": "in_progress"}, "timeout_s": 30}
    play = team({"alice": member("alice part", {"calls": edit("a.txt", "a", "{{ team }}"), "wait": wait})})
    with team_run(play) as run:
        first = run.team("-p", "--output-format", "json")
        second = run.team("-p", "--output-format", "json", "--name", "u", "--backend", "in-process")
        one, other = first.finish(), second.finish()
        landed, left = sorted((one, other), key=lambda done: done.code)
        assert (landed.code, landed.value["status"]) == (0, "completed"), run.describe()
        assert (left.code, left.value.get("status")) == (1, "incomplete"), left
        name = left.value["team"]
        assert f"main has commits that roocode-team/{name} lacks" in left.value["result"]
        assert f"merge roocode-team/{name}" in left.value["result"]
        assert run.git("show", "main:a.txt") == landed.value["team"]
        listed = json.loads(run.roocode("team", "list", "--json").out)
        assert [(row["name"], row["open"]) for row in listed] == [("t", 0), ("u", 0)]
        done = run.roocode("team", "status")
        assert (done.code, "there are 2 teams here: t, u" in done.err) == (42, True)
        assert run.roocode("team", "cleanup", "--force", "t").code == 0
        assert run.roocode("team", "status", "--json").value["team"] == "u"


def test_a_member_inside_the_lead_asks_too():
    play = team({"alice": member("alice part", {"calls": [bash("touch made.txt")]})})
    with team_run(play) as run:
        given = ("--name", "t", "--backend", "in-process", "--model", MODEL, "--verify", "python3 check.py")
        screen = run.terminal("team", GOAL, *given)
        screen.answer("y", to="  touch made.txt")
        screen.wait_for("The team's run is completed.")
        assert (run.worktree("alice") / "made.txt").exists()
        screen.press("C-d")
        assert screen.exit_code() == 0
