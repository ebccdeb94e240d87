"""Each `roocode team` command on a team that lives, one whose lead is gone, one that rests, and none."""

from __future__ import annotations

import json
import re
import signal

import pytest

from tests.e2e.driver import TEAM, TeamRun, team_run
from tests.e2e.plays import Step, bash, edit, member, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SLEEP = 'permissions: {allow: ["Bash(sleep *)"]}\n'
WOKEN: Step = {"when": {"last_contains": "One more thing"}, "text": "I heard one more thing."}
REVIVED: Step = {"when": {"last_contains": "Come back"}, "text": "I am back."}


def says(run: TeamRun, *arguments: str) -> str:
    done = run.roocode("team", *arguments)
    assert done.code == 0, done.err
    return done.out


def refuses(run: TeamRun, *arguments: str, code: int = 42) -> str:
    done = run.roocode("team", *arguments)
    assert (done.code, done.out) == (code, ""), done
    return done.err


def test_on_a_live_team_one_without_a_lead_and_one_that_was_cleaned():
    play = team(
        {
            "alice": member("alice part", {"calls": [*edit("a.txt", "a", "alice"), bash("sleep 3600")]}),
            "bob": member("bob part", {"calls": edit("b.txt", "b", "bob")}, rest=(WOKEN, REVIVED)),
        }
    )
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: run.state("bob") == "idle", "bob is idle")
        run.wait_for(lambda: "sleep 3600" in run.processes().values(), "alice works")
        on_a_live_team(run)
        lead.send(signal.SIGKILL)
        lead.finish()
        without_a_lead(run)
        says(run, "stop")
        on_a_team_that_rests(run)
        on_a_cleaned_team(run)


def on_a_live_team(run: TeamRun) -> None:
    status = json.loads(says(run, "status", TEAM, "--json"))
    alice, bob = status["members"]
    assert (alice["state"], alice["pid"], alice["isActive"]) == ("active", run.pid("alice"), True)
    assert (bob["state"], bob["isActive"]) == ("idle", False)
    assert {alice["paneId"], bob["paneId"]} == set(run.panes().values())
    assert {"reason", "lastEventAt", "worktreePath", "branch", "agentId"} <= alice.keys()
    assert [task["status"] for task in status["tasks"]] == ["in_progress", "completed"]
    assert (status["waitingPermissions"], status["lead"]["pid"]) == ([], run.pid("lead"))
    text = says(run, "status")
    assert f"alice: active, task 1, pid {run.pid('alice')}" in text
    orders = (["tasks"], ["list", "--json"], ["logs", "bob"], ["logs", "carol"], ["attach"])
    done = run.roocode_each(*(["team", *order] for order in orders))
    assert [each.code for each in done] == [0, 0, 0, 42, 42]
    tasks, listed, log, carol, attach = done
    assert "1 [in_progress] alice part (alice)" in tasks.out
    assert json.loads(listed.out)[0]["state"] == "running"
    assert log.out == "The log of bob is empty.\n"
    assert "there is no member carol" in carol.err
    assert "attach needs a terminal" in attach.err
    assert "No two branches conflict." in says(run, "merge", "--preview")
    assert "has a lead already (process" in refuses(run, "merge", code=1)
    assert "roocode team stop --team t" in refuses(run, "resume", "-p", code=1)
    assert "has a lead already" in refuses(run, "cleanup", "--force", code=1)
    assert run.git("rev-parse", "--verify", "roocode-team/t")

    assert "Delivered to bob." in says(run, "message", "bob", "One more thing")
    run.wait_for(lambda: run.requests("bob", "One more thing"), "bob hears it")
    run.wait_for(lambda: run.state("bob") == "idle", "bob is idle again")
    assert "bob has stopped" in says(run, "stop", "bob")
    stopped = run.wait_for_event("stopped", "bob")
    assert run.state("bob") == "stopped"
    assert "bob is not running." in says(run, "stop", "bob")
    assert "the lead starts it again" in says(run, "message", "bob", "Come back")
    run.wait_for(lambda: run.requests("bob", "Come back"), "bob is back")
    assert next(r.kind for r in run.events(member="bob") if r.seq > stopped.seq) == "restarted"
    run.wait_for(lambda: run.state("bob") == "idle", "bob is idle")

    watching = run.start("team", "status", "--watch", "--json")
    run.wait_for(lambda: watching.out.read_text().count("\n") == 1, "the board is shown")
    run.store.update_member("bob", color="white")
    run.wait_for(lambda: watching.out.read_text().count("\n") == 2, "the board is shown again")
    watching.send(signal.SIGINT)
    assert watching.finish().code == 0


def without_a_lead(run: TeamRun) -> None:
    assert "lead: not running" in says(run, "status")
    assert re.search(r"all together: (\d+\.\d{4} USD|cost unknown)", says(run, "status"))
    assert "without a lead" in says(run, "list")
    assert "alice" in says(run, "tasks")
    assert "Delivered to bob." in says(run, "message", "bob", "Are you there?")
    assert "`roocode team resume --team t`" not in says(run, "message", "alice", "Hello")
    assert "alice of team t still works" in refuses(run, "merge")
    assert "alice, bob of team t still runs" in refuses(run, "cleanup")
    assert "alice has stopped" in says(run, "stop", "alice")
    assert run.tasks()["alice part"].status == "pending"
    assert run.git("show", "worktree-team-t+alice:a.txt") == "alice"
    told = says(run, "message", "alice", "Hello again")
    assert "no lead is running" in told
    assert "`roocode team resume --team t`" in told


def on_a_team_that_rests(run: TeamRun) -> None:
    run.wait_until_nothing_is_left()
    status = json.loads(says(run, "status", "--json"))
    assert [(m["state"], m["pid"], m["paneId"]) for m in status["members"]] == [("stopped", None, None)] * 2
    assert "Nothing of team t runs." in says(run, "stop")
    assert "no member of team t runs" in refuses(run, "attach")
    assert "commits that roocode-team/t lacks" in refuses(run, "cleanup")
    done = run.roocode("team", "merge", "--verify", "python3 check.py")
    assert (done.code, done.out.startswith("main is at ")) == (0, True), done
    assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
    (run.worktree("bob") / "b.txt").write_text("not committed\n")
    assert "uncommitted changes in b.txt" in refuses(run, "cleanup")
    told = says(run, "cleanup", "--force")
    kept = run.git("for-each-ref", "--format=%(refname)", "refs/roocode/rescue")
    assert kept
    assert f"Kept: {kept}" in told
    assert run.git("show", f"{kept}:b.txt") == "not committed"


def on_a_cleaned_team(run: TeamRun) -> None:
    assert run.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert run.git("branch", "--format=%(refname:short)") == "main"
    assert not (run.repo / ".roocode").exists()
    assert run.git("status", "--porcelain") == ""
    assert says(run, "list").startswith("There is no team here")
    orders = (["status"], ["tasks"], ["attach"], ["logs", "bob"], ["message", "bob", "x"], ["stop"])
    later = (["merge"], ["merge", "--preview"], ["cleanup"], ["resume", "-p"])
    for done in run.roocode_each(*(["team", *order] for order in (*orders, *later))):
        assert (done.code, "there is no team here" in done.err) == (42, True), done
    assert "there is no team t here" in refuses(run, "status", "t")
    assert list((run.base / "run" / "roocode").iterdir()) == []
    assert list((run.base / "home" / ".roocode" / "team-keys").iterdir()) == []
