"""Teammates with sub-agents of their own: in panes any, inside the lead's process only ones they wait for."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.e2e.driver import team_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

LOOK = {"prompt": "Look around.", "description": "look", "subagent_type": "Explore", "name": "scout"}


def scenario(*work: dict[str, Any]) -> dict[str, Any]:
    task = {"tool": "TaskCreate", "input": {"subject": "look", "description": "look around"}}
    member = {"name": "alice", "team_name": "{{ team }}", "description": "all", "prompt": "Do it"}
    take = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "in_progress"}}
    done = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    return {
        "agents": {
            "lead": [
                {"calls": [task, {"tool": "Agent", "input": member}]},
                {"text": "alice works."},
                {"when": {"all_tasks": "completed"}, "text": "All is done."},
                {"always": True, "text": "Noted {{ turn }}."},
            ],
            "alice": [{"calls": [take]}, *work, {"calls": [done]}, {"text": "Done."}],
            "scout": [
                {"calls": [{"tool": "Glob", "input": {"pattern": "*.txt"}}]},
                {"when": {"result": {"tool": "Glob", "contains": "a.txt"}}, "text": "There is a.txt."},
            ],
        }
    }


def test_inside_the_leads_process_they_are_waited_for() -> None:
    fork = {"prompt": "x", "description": "fork"}
    work = (
        {"calls": [{"tool": "Agent", "input": fork}]},
        {
            "when": {"result": {"error": True, "contains": "cannot work in the background"}},
            "calls": [{"tool": "Agent", "input": LOOK}],
        },
        {"when": {"result": {"contains": "There is a.txt."}}, "text": "Seen.", "calls": []},
    )
    play = scenario(*work[:2])
    with team_run(play, backend="in-process") as run:
        done = run.team("-p", "--output-format", "json").finish()
        assert done.value["status"] == "completed", run.describe()
        (report,) = [text for text in run.requests("alice") if "There is a.txt." in text][:1]
        assert "async_launched" not in report


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_in_a_pane_they_may_work_in_the_background() -> None:
    behind = {**LOOK, "run_in_background": True}
    work = (
        {"calls": [{"tool": "Agent", "input": behind}]},
        {"when": {"result": {"contains": "async_launched"}}, "text": "I wait for it."},
    )
    play = scenario(*work)
    play["agents"]["alice"][3]["when"] = {"last_contains": ["<task-notification", "There is a.txt."]}
    with team_run(play, backend="tmux") as run:
        done = run.team("-p", "--output-format", "json").finish()
        assert done.value["status"] == "completed", run.describe()
        assert run.requests("scout")
