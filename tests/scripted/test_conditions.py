"""Conditions: each holds and fails, with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from roocode.protocol.messages import Message, Text, ToolCall, ToolResult
from roocode.protocol.team import Task
from roocode.scripted.asked import Asked, Sender
from roocode.scripted.conditions import why_not
from roocode.scripted.scenario import Condition

ASKED = Asked(
    sender=Sender("alice"),
    model="m",
    system="You are a teammate.",
    messages=(
        Message("user", (Text("Do task 1."),)),
        Message("assistant", (Text("I test."), ToolCall("a", "Bash", {}), ToolCall("b", "ReadFile", {}))),
        Message("user", (ToolResult("a", "Error: exit code 1", True), ToolResult("b", "1 import os"))),
    ),
    offered=("Bash", "ReadFile"),
)
TASKS = (
    Task("1", "Move it", status="completed", owner="alice"),
    Task("2", "Test it", blocked_by=("1",)),
    Task("3", "Ship it", blocked_by=("2",)),
    Task("4", "Write it", status="in_progress", owner="bob"),
    Task("5", "Mine", owner="alice"),
    Task("6", "Not mine", owner="bob"),
)

HOLD: list[dict[str, Any]] = [
    {},
    {"last_contains": ["exit code", "import os"]},
    {"last_matches": r"exit code \d"},
    {"last_role": "tool"},
    {"result": {"tool": "Bash", "error": True, "contains": "exit"}},
    {"result": {"error": False}},
    {"any_contains": "I test."},
    {"first_contains": "Do task"},
    {"system_contains": "teammate"},
    {"turns": 1},
    {"turns": {"at_least": 1, "at_most": 1}},
    {"offers": ["Bash"], "tool_choice": "auto"},
    {"tasks": {"1": "completed", "Write it": {"status": "in_progress", "owner": "bob"}}},
    {"claimable": ["2", "Mine"]},
    {"unless": {"last_contains": "passed"}},
    {"either": [{"turns": 9}, {"turns": 1}]},
]

FAIL: list[tuple[dict[str, Any], str]] = [
    ({"last_contains": ["exit code", "passed"]}, "last_contains: the last message does not contain 'passed'"),
    ({"last_matches": "^passed"}, "last_matches: the last message does not match '^passed'"),
    ({"last_role": "user"}, "last_role: it is tool, not user"),
    ({"result": {"tool": "Grep"}}, "result: the last message holds not a result of Grep"),
    ({"result": {"tool": "Bash", "error": False}}, "holds not a result of Bash, no error, with []"),
    ({"any_contains": "passed"}, "any_contains: the conversation does not contain 'passed'"),
    ({"first_contains": "exit"}, "first_contains: the first message does not contain 'exit'"),
    ({"system_contains": "lead"}, "system_contains: the system prompt does not contain 'lead'"),
    ({"turns": 2}, "turns: the model has answered 1 times"),
    ({"turns": {"at_most": 0}}, "turns: the model has answered 1 times"),
    ({"offers": "Grep"}, "offers: the request does not offer Grep"),
    ({"tool_choice": "none"}, "tool_choice: it is auto, not none"),
    ({"tasks": {"2": "completed"}}, "tasks: task '2' is pending"),
    ({"tasks": {"9": "completed"}}, "tasks: there is no task '9'"),
    ({"tasks": {"4": {"owner": "alice"}}}, "tasks: task '4' is in_progress (owner bob)"),
    ({"all_tasks": "completed"}, "all_tasks: 2 is pending, 3 is pending, 4 is in_progress (owner bob)"),
    ({"claimable": "3"}, "claimable: task '3' is pending, blocked by 2"),
    ({"claimable": "6"}, "claimable: task '6' is pending (owner bob)"),
    ({"claimable": "1"}, "claimable: task '1' is completed (owner alice)"),
    ({"claimable": "9"}, "claimable: there is no task '9'"),
    ({"unless": {"turns": 1}}, "unless: its condition holds"),
    ({"either": [{"turns": 2}, {"turns": 3}]}, "either: turns: the model has answered 1 times; turns"),
]


def condition(raw: dict[str, Any]) -> Condition:
    return TypeAdapter(Condition).validate_python(raw)


@pytest.mark.parametrize("raw", HOLD)
def test_it_holds(raw: dict[str, Any]) -> None:
    assert why_not(condition(raw), ASKED, lambda: TASKS) == ""


@pytest.mark.parametrize(("raw", "reason"), FAIL)
def test_it_does_not_hold_and_says_why(raw: dict[str, Any], reason: str) -> None:
    assert reason in why_not(condition(raw), ASKED, lambda: TASKS)


def test_no_tasks_are_never_all_completed() -> None:
    assert why_not(Condition(all_tasks="completed"), ASKED, tuple) == "all_tasks: there are no tasks"


def test_tasks_are_not_read_where_no_condition_asks_for_them() -> None:
    def unreadable() -> tuple[Task, ...]:
        raise AssertionError("read")

    assert why_not(Condition(last_role="tool"), ASKED, unreadable) == ""
