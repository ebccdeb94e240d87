"""Hooks in a team: in each member's process, and the team's own events in the lead's."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.app.hooks import command, keeps, kept
from tests.e2e.driver import team_run
from tests.e2e.test_roles import scenario

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

EVENTS = (
    *("session_start", "session_end", "task_created", "task_completed", "teammate_idle", "worktree_created"),
    *("pre_tool_use", "stop", "user_prompt_submit"),
)


@pytest.mark.parametrize("backend", ["in-process", "tmux"])
def test_hooks_fire_for_the_lead_and_its_teammates(backend: str) -> None:
    if backend == "tmux" and shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    with team_run(scenario([]), backend=backend) as run:
        log = run.base / "told"
        hooks = [keeps(event, log) for event in EVENTS]
        condition = {"if": 'agent == "alice" && tool == "Bash"'}
        hooks.append(command("pre_tool_use", "echo not alice >&2; exit 2", **condition))
        config = run.base / "home" / ".roocode" / "config.yaml"
        config.parent.mkdir(exist_ok=True)
        before = config.read_text() if config.exists() else ""
        config.write_text(f"{before}\nhooks: {json.dumps(hooks)}\n")

        done = run.team("-p", "--output-format", "json").finish()

        assert done.value["status"] == "completed", run.describe()
        told = kept(log)
        assert {each["event"] for each in told} == set(EVENTS)
        of = {event: [each for each in told if each["event"] == event] for event in EVENTS}
        assert [(each["teammate"], each["subject"]) for each in of["task_completed"]] == [("alice", "look")]
        assert [each["teammate"] for each in of["task_created"]] == ["lead"]
        assert "alice" in {each["teammate"] for each in of["teammate_idle"]}
        assert {each["agent"] for each in of["pre_tool_use"]} == {"lead", "alice"}
        assert {each["agent_type"] for each in of["stop"] if each["agent"] == "alice"} == {"teammate"}
        [worktree] = [each for each in of["worktree_created"] if each["worktree"].endswith("alice")]
        assert "alice" in worktree["branch"]
        assert {each["agent"] for each in of["user_prompt_submit"]} == {"lead"}, "a task is no prompt"
        sessions = sorted(each["agent"] for each in of["session_start"])
        assert sessions == (["lead"] if backend == "in-process" else ["alice", "lead"])
        assert sorted(each["agent"] for each in of["session_end"]) == sessions
