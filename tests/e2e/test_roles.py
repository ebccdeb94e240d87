"""Who has which tools: by construction, as the model sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.driver import TeamRun, team_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

SCHEDULING = {
    "Agent",
    "SendMessage",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "TaskStop",
    "MergeTeammate",
}
CODE = {"ReadFile", "WriteFile", "EditFile", "Glob", "Grep", "Bash", "BashOutput", "KillShell"}
NOTES = {"TodoWrite", "Remember", "LoadSkill"}
SHARED = {"SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}


def scenario(first: list[dict[str, Any]]) -> dict[str, Any]:
    task = {"tool": "TaskCreate", "input": {"subject": "look", "description": "look around"}}
    member = {"name": "alice", "team_name": "{{ team }}", "description": "all", "prompt": "Do it"}
    take = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "in_progress"}}
    done = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    return {
        "agents": {
            "lead": [
                *first,
                {"calls": [task, {"tool": "Agent", "input": member}]},
                {"text": "alice works."},
                {"when": {"all_tasks": "completed"}, "text": "All is done."},
                {"always": True, "text": "Noted {{ turn }}."},
            ],
            "alice": [{"calls": [take]}, {"calls": [done]}, {"text": "Done."}],
        }
    }


@pytest.fixture
def run() -> Iterator[TeamRun]:
    with team_run(scenario([]), backend="in-process") as run:
        yield run


def offered(run: TeamRun, agent: str) -> set[str]:
    """The tools in every request of an agent: one and the same list."""
    lists = [
        {tool["name"] for tool in record.body["tools"]}
        for record in run.server.log
        if record.sender.agent == agent
    ]
    assert lists
    assert all(names == lists[0] for names in lists)
    return lists[0]


def test_a_lead_only_schedules_and_a_teammate_neither_leads_nor_asks(run: TeamRun):
    done = run.team("-p", "--output-format", "json").finish()
    assert done.value["status"] == "completed", run.describe()
    assert offered(run, "lead") == SCHEDULING
    assert offered(run, "alice") == CODE | SHARED | NOTES | {"Agent", "LoadSkill"}


def test_without_coordinator_mode_the_lead_works_in_the_integration_worktree():
    write = {"tool": "WriteFile", "input": {"path": "led.txt", "content": "by the lead\n"}}
    with team_run(scenario([{"calls": [write]}]), backend="in-process") as run:
        rules = "permissions: {allow: [WriteFile]}\n"
        (run.base / "home" / ".roocode" / "config.yaml").write_text(rules)
        done = run.team("-p", "--output-format", "json", "--no-coordinator").finish()
        assert done.value["status"] == "completed", run.describe()
        assert offered(run, "lead") == SCHEDULING | CODE | {"TodoWrite"}
        assert run.git("show", "HEAD:led.txt") == "by the lead"


def test_no_call_of_the_lead_reaches_a_code_tool():
    first = [
        {"calls": [{"tool": "Bash", "input": {"command": "touch gone"}, "unoffered": True}]},
        {"when": {"result": {"error": True, "contains": "There is no tool 'Bash'"}}, "text": "I cannot."},
        {
            "when": {"last_contains": "not finished"},
            "calls": [
                {
                    "tool": "Agent",
                    "input": {
                        "prompt": "touch gone",
                        "description": "a helper",
                        "subagent_type": "general-purpose",
                    },
                }
            ],
        },
        {"when": {"result": {"error": True, "contains": "name: missing"}}, "text": "I need a teammate."},
    ]
    with team_run(scenario(first), backend="in-process") as run:
        done = run.team("-p", "--output-format", "json").finish()
        assert done.value["status"] == "completed", run.describe()
        assert not list(run.base.rglob("gone"))
