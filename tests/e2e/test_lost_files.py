"""Worktrees that somebody deletes, transcripts that end in half a line, handshakes that nobody took."""

from __future__ import annotations

import shutil
import signal

import pytest

from tests.e2e.driver import TeamRun, acted_once, team_run
from tests.e2e.plays import AGAIN, Step, bash, edit, member, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

SLEEP = 'permissions: {allow: ["Bash(sleep *)"]}\n'


def test_a_worktree_is_deleted_under_an_idle_and_under_a_working_member():
    """Both start again in a new one, from their branch, with what they had committed."""
    gone = "Your worktree was gone. It was made again from your branch."
    play = team(
        {
            "alice": member(
                "alice part",
                {"calls": edit("a.txt", "a", "alice")},
                rest=({"when": {"last_contains": AGAIN}, "text": "I still have my work."},),
            ),
            "bob": member(
                "bob part",
                {"calls": [bash("sleep 2")]},
                {"text": "I stop here."},
                {"calls": edit("b.txt", "b", "bob")},
            ),
        }
    )
    with team_run(play, config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: "sleep 2" in run.processes().values(), "bob works")
        shutil.rmtree(run.worktree("bob"))
        run.wait_for(lambda: run.state("alice") == "idle", "alice is idle")
        shutil.rmtree(run.worktree("alice"))
        assert run.roocode("team", "message", "alice", "Is it still there?").code == 0
        done = lead.finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.requests("alice", gone)
        assert run.requests("alice")[-1].count("<team-message") == 1
        assert run.requests("bob", gone)
        died = run.events("died", member="alice")[0].detail["reason"]
        assert died == f"the worktree {run.worktree('alice')} is gone"
        assert run.git("show", "main:a.txt", "main:b.txt") == "alice\nbob"
        acted_once(run)


def test_torn_transcripts_and_a_handshake_that_nobody_took():
    work = {"calls": [*edit("a.txt", "a", "alice"), bash("sleep 3600")]}
    finish: Step = {"calls": [bash("sleep 0")]}
    with team_run(team({"alice": member("alice part", work, finish)}), config=SLEEP) as run:
        lead = run.team("-p", "--output-format", "json")
        run.wait_for(lambda: "sleep 3600" in run.processes().values(), "alice works")
        handshakes = next((run.base / "run" / "roocode").glob("hs-*"))
        assert list(handshakes.iterdir()) == []
        lead.send(signal.SIGKILL)
        lead.finish()
        run.kill("alice")
        run.wait_for(lambda: not run.agents(), "nobody is left", 5)
        tear(run, "alice", '{"type":"result","at":"2026-01-01T00:00:00.000Z","result":{"type":"resu')
        tear(run, "lead", '{"type":"reply"')
        (handshakes / "left.json").write_text("a key")
        with (run.store.root / "events.jsonl").open("a") as record:
            record.write('{"seq":')

        done = run.resume().finish()
        assert (done.code, done.value["status"]) == (0, "completed"), run.describe()
        assert run.git("show", "main:a.txt") == "alice"
        assert not handshakes.exists()
        acted_once(run)


def tear(run: TeamRun, agent: str, half: str) -> None:
    with (run.store.root / "transcripts" / f"{agent}.jsonl").open("a") as transcript:
        transcript.write(half)
