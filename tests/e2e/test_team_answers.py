"""A team's questions: equal ones together, answered once, from the window or a shell, and in time."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest

from tests.e2e.driver import GOAL, MODEL, TEAM, TeamRun, team_run
from tests.e2e.plays import Step, bash, member, team
from tests.e2e.screen import Screen

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

TOUCH: Step = {"calls": [bash("touch made.txt")]}
MAKE: Step = {"calls": [bash("make -s made")]}


def opened(run: TeamRun) -> Screen:
    given = ("--name", TEAM, "--backend", "tmux", "--model", MODEL, "--verify", "python3 check.py")
    return run.terminal("team", GOAL, *given)


def waiting(run: TeamRun, count: int) -> list[dict[str, Any]]:
    """The questions that wait, once there are so many."""
    run.wait_for(
        lambda: run.store.exists() and len(run.status()["waitingPermissions"]) == count,
        f"{count} questions wait",
    )
    found: list[dict[str, Any]] = run.status()["waitingPermissions"]
    return sorted(found, key=lambda question: str(question["member"]))


def finished(run: TeamRun, screen: Screen) -> None:
    screen.wait_for("The team's run is completed.")
    screen.press("C-d")
    assert screen.exit_code() == 0


def made(run: TeamRun, *names: str) -> bool:
    return all((run.worktree(name) / "made.txt").exists() for name in names)


def test_equal_questions_are_shown_once_and_answered_for_all_by_a_key():
    with team_run(team({name: member(f"{name} part", TOUCH) for name in ("alice", "bob")})) as run:
        screen = opened(run)
        alice, bob = waiting(run, 2)
        assert alice["group"] == bob["group"]
        assert alice["id"] != bob["id"]
        text = screen.wait_for("Allow all 2?", "asks the same: Bash(touch made.txt)", "waiting for you")
        assert text.count("wants to use Bash") == 1
        screen.answer("y", to="Allow all 2?")
        run.wait_for(lambda: made(run, "alice", "bob"), "both ran it")
        finished(run, screen)
        answers = {(r.member, r.detail["id"], r.detail["allowed"]) for r in run.events("permission_answered")}
        assert answers == {("alice", alice["id"], True), ("bob", bob["id"], True)}


def test_from_a_shell_with_a_lead_and_without_one():
    with team_run(team({name: member(f"{name} part", TOUCH, TOUCH) for name in ("alice", "bob")})) as run:
        screen = opened(run)
        alice, bob = waiting(run, 2)
        status = run.roocode("team", "status").out
        first = next(q for q in (alice, bob) if q["id"] == alice["group"])
        assert f"roocode team approve {first['shortId']}" in status
        denied = run.roocode("team", "deny", alice["shortId"], "--only", "--reason", "use touch -c")
        assert (denied.code, denied.out) == (0, "Denied for alice: Bash(touch made.txt)\n")
        run.wait_for(lambda: bool(run.requests("alice", "use touch -c")), "alice's model hears why")
        screen.wait_for("alice, Bash: answered already, no, from a shell, use touch -c.")
        again = run.roocode("team", "approve", alice["id"])
        assert again.code == 42
        assert "answered already, no, from a shell" in again.err

        os.kill(run.pid("lead"), signal.SIGKILL)
        run.wait_for(lambda: not run.store.lead_lock().is_held(), "the lead is gone")
        refused = run.roocode("team", "approve", "zzzzzz")
        assert (refused.code, "no question zzzzzz waits in this team" in refused.err) == (42, True)
        assert bob["shortId"] in refused.err
        both = waiting(run, 2)
        approved = run.roocode("team", "approve", bob["id"][:8], "--team", TEAM)
        assert (approved.code, approved.err) == (0, "")
        assert sorted(approved.out.split(":")[0].split()) == sorted(
            ["Approved", "for", "alice", "and", "bob"]
        )
        run.wait_for(lambda: made(run, "alice", "bob"), "both ran it without a lead")
        assert {r.detail["id"] for r in run.events("permission_decided")} == {
            alice["id"],
            *(question["id"] for question in both),
        }
        unknown = run.roocode("team", "approve", bob["id"], "--team", "nope")
        assert unknown.code == 42


def test_nobody_in_time_is_a_no_that_the_model_hears():
    play = team({"alice": member("alice part", TOUCH)})
    with team_run(play, config="permissions: {ask_timeout: 2}\n") as run:
        screen = opened(run)
        screen.wait_for("alice, Bash: it has ended with no: nobody answered within 2 s.")
        run.wait_for(lambda: bool(run.requests("alice", "nobody answered within 2 s")), "alice hears it")
        finished(run, screen)
        assert not made(run, "alice")


def test_always_holds_for_its_asker_for_the_others_and_in_the_next_run():
    play = team({name: member(f"{name} part", MAKE, MAKE) for name in ("alice", "bob")})
    with team_run(play) as run:
        (run.repo / "Makefile").write_text("made:\n\ttouch made.txt\n")
        run.git("add", "Makefile")
        run.git("commit", "-qm", "make")
        screen = opened(run)
        waiting(run, 2)
        screen.answer("n", to="Allow all 2?")
        waiting(run, 2)
        screen.answer("a", to="Allow all 2?")
        screen.wait_for("Always allow", "in .roocode/config.local.yaml:", "Enter stores and runs")
        screen.press("Enter")
        run.wait_for(lambda: made(run, "alice", "bob"), "both ran it")
        finished(run, screen)
        assert "Always allowed: " in screen.text
        stored = (run.repo / ".roocode" / "config.local.yaml").read_text()
        assert "Bash(make -s made)" in stored
        listed = run.roocode("permissions", "list", "--json")
        assert "Bash(make -s made)" in listed.out
        check = ("permissions", "check", "--tool", "Bash", "--input", json.dumps({"command": "make -s made"}))
        assert json.loads(run.roocode(*check).out)["decision"] == "allow"


def test_keys_from_before_a_question_never_answer_it_nor_the_next_one():
    """Typed ahead, pasted, and pressed twice: with two questions in a row in the lead's window."""
    play = team({"alice": member("alice part", TOUCH), "bob": member("bob part", MAKE)})
    with team_run(play) as run:
        screen = opened(run)
        waiting(run, 2)
        screen.wait_for("[y]es once", "1 more behind")
        screen.paste("y")
        screen.wait_for("> y")
        screen.paste("yes\n", bracketed=False)
        screen.wait_for("> yyes")
        assert len(waiting(run, 2)) == 2
        screen.press("C-u")
        screen.wait_for("[y]es once")
        screen.tmux("send-keys", "-t", screen.name, "y", "y")
        screen.wait_for("> yy")
        assert len(waiting(run, 2)) == 2
        screen.press("C-u")
        screen.wait_for("[y]es once")
        asked = screen.text.count("wants to use Bash")
        screen.press("y")
        run.wait_for(lambda: screen.text.count("wants to use Bash") > asked, "the next question is shown")
        screen.press("y")
        screen.wait_for("> y")
        assert len(waiting(run, 1)) == 1
        screen.press("C-u")
        screen.wait_for("[y]es once")
        screen.press("n")
        finished(run, screen)
