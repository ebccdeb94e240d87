"""A lead or a tmux server is killed: members finish their task and wait, and the team is brought back."""

from __future__ import annotations

import signal

import pytest

from tests.e2e.driver import acted_once, team_run
from tests.e2e.plays import Step, bash, call, edit, member, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

SLEEP = 'permissions: {allow: ["Bash(sleep *)"]}\n'


def two(alice: Step, bob: Step) -> Step:
    return team({"alice": member("alice part", alice), "bob": member("bob part", bob)})


def test_while_one_member_works_and_the_other_was_killed_too():
    """The living one is taken over with its pane, the dead one starts again, nobody acts twice."""
    play = two({"calls": [bash("sleep 2"), *edit("a.txt", "a", "alice")]}, {"calls": [bash("sleep 3600")]})
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: "sleep 3600" in run.processes().values(), "bob's command runs")
        lead.send(signal.SIGKILL)
        assert lead.finish().code == -signal.SIGKILL
        run.kill("bob")
        alice, pane = run.pid("alice"), run.panes()["alice"]
        run.wait_for(lambda: run.state("alice") == "idle", "alice finishes its task without a lead")
        assert run.tasks()["alice part"].status == "completed"
        assert run.state("bob") == "dead"
        status = run.roocode("team", "status", "--json").value
        assert status["lead"]["alive"] is False
        assert (status["members"][1]["state"], status["members"][1]["pid"]) == ("dead", None)

        again = run.resume()
        run.wait_for_event("ready", "bob", count=2)
        assert (run.pid("alice"), run.panes()["alice"]) == (alice, pane)
        done = again.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.requests("lead", "alice still runs. bob was started again from its transcript.")
        assert run.git("show", "main:a.txt") == "alice"
        acted_once(run)
        run.wait_until_nothing_is_left()


def test_in_its_own_merge():
    """What the killed lead had begun is taken back or kept whole, and each branch is merged once."""
    play = two({"calls": edit("a.txt", "a", "alice")}, {"calls": edit("b.txt", "b", "bob")})
    play["agents"]["lead"].insert(
        4, {"when": {"last_contains": "is brought back"}, "calls": [call("MergeTeammate", name="bob")]}
    )
    with team_run(play) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for_event("merged")
        lead.send(signal.SIGKILL)
        lead.finish()
        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        subjects = run.git("log", "--format=%s").splitlines()
        assert sorted(s for s in subjects if s.startswith("merge: ")) == ["merge: alice", "merge: bob"]
        acted_once(run)


def test_right_after_it_wrote_a_message():
    """The message is read once, whichever lead lives then."""
    asks: Step = {
        "calls": [call("SendMessage", to="bob", summary="one more word", message="A word for bob.")]
    }
    play = two(
        {"calls": edit("a.txt", "a", "alice")}, {"calls": [bash("sleep 1"), *edit("b.txt", "b", "bob")]}
    )
    play["agents"]["lead"][2] = asks
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(
            lambda: any(r.detail["to"] == "bob" for r in run.events("message_written", member="lead")), "mail"
        )
        lead.send(signal.SIGKILL)
        lead.finish()
        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.requests("bob")[-1].count("A word for bob.") == 1
        acted_once(run)


def test_before_it_heard_the_goal():
    play = two({"calls": edit("a.txt", "a", "alice")}, {"calls": edit("b.txt", "b", "bob")})
    play["agents"]["lead"][0]["when"] = {"last_contains": "change the letters"}
    with team_run(play) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for_event("created")
        lead.send(signal.SIGKILL)
        lead.finish()
        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()


def test_with_its_members_inside():
    """They die with it, their commands too, and start again from their transcripts."""
    play = two(
        {"calls": [*edit("a.txt", "a", "alice"), bash("sleep 3600")]}, {"calls": edit("b.txt", "b", "bob")}
    )
    with team_run(play, backend="in-process", config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: "sleep 3600" in run.processes().values(), "alice's command runs")
        run.wait_for(lambda: run.state("bob") == "idle", "bob is idle")
        assert run.pid("alice") == run.pid("bob") == run.pid("lead") == lead.pid
        lead.send(signal.SIGKILL)
        lead.finish()
        run.wait_until_nothing_is_left()
        assert (run.state("alice"), run.state("bob")) == ("dead", "dead")
        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.requests("lead", "alice was started again from its transcript. bob is stopped")
        assert run.requests("alice", "Uncommitted in your worktree: a.txt.")
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        assert {m.backend_type for m in run.store.team().members} == {"in-process"}
        acted_once(run)


def test_the_tmux_server_is_killed():
    """Its members die with it, the lead notices, and they start again in a new one."""
    play = two({"calls": [bash("sleep 3600")]}, {"calls": [bash("sleep 3601")]})
    play["agents"]["alice"].insert(3, {"calls": edit("a.txt", "a", "alice")})
    play["agents"]["bob"].insert(3, {"calls": edit("b.txt", "b", "bob")})
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        for seconds in ("3600", "3601"):
            run.wait_for(lambda s=seconds: f"sleep {s}" in run.processes().values(), f"sleep {seconds}")
        first = int(run.tmux("display-message", "-p", "#{pid}"))
        run.tmux("kill-server")
        for name in ("alice", "bob"):
            run.wait_for_event("ready", name, count=2)
        assert int(run.tmux("display-message", "-p", "#{pid}")) != first
        done = lead.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        acted_once(run)
        run.wait_until_nothing_is_left()


@pytest.mark.parametrize(
    ("backend", "number", "code"), [("tmux", signal.SIGTERM, 143), ("in-process", signal.SIGINT, 130)]
)
def test_a_signal_ends_the_run_with_everything_kept(backend: str, number: signal.Signals, code: int):
    play = two(
        {"calls": [*edit("a.txt", "a", "alice"), bash("sleep 3600")]},
        {"calls": [*edit("b.txt", "b", "bob"), bash("sleep 3601")]},
    )
    with team_run(play, backend=backend, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        for seconds in ("3600", "3601"):
            run.wait_for(lambda s=seconds: f"sleep {s}" in run.processes().values(), f"sleep {seconds}")
        lead.send(number)
        done = lead.finish(20)
        assert (done.code, done.value["status"], done.value["team"]) == (code, "incomplete", "t")
        assert "the run was interrupted" in done.value["result"]
        assert [m["commits"] for m in done.value["members"]] == [1, 1]
        run.wait_until_nothing_is_left()
        assert run.git("show", "worktree-team-t+alice:a.txt") == "alice"
        assert run.git("status", "--porcelain", cwd=run.worktree("bob")) == ""
        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        acted_once(run)
