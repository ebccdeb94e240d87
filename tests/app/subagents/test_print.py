"""`roocode -p` with sub-agents: it ends when they have, says what each used, and whose a line is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import PROTOCOLS, address, lines
from tests.app.subagents.family import agent, typed

Scripted = Callable[..., ScriptedServer]
BYPASS = ("--permission-mode", "bypassPermissions")


def plays(**given: Any) -> dict[str, Any]:
    spent = {"usage": {"input": 100, "output": 10}}
    return {
        "agents": {
            "main": [
                {"calls": [typed(name="ann", run_in_background=True)], **spent},
                {"text": "I go on.", **spent},
                {"when": {"last_contains": ["<task-notification", "Here."]}, "text": "It is done.", **spent},
            ],
            "ann": [{"text": "Here.", "first_token_delay_s": 0.5, **spent}],
        }
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_waits_for_those_in_the_background_and_counts_them(
    scripted: Scripted, roocode: Roocode, protocol: str
) -> None:
    server = scripted(plays())
    done = roocode("-p", "Go.", "--output-format", "json", *BYPASS, **address(server, protocol))
    value = json.loads(done.stdout)
    assert (done.returncode, value["result"], value["num_turns"]) == (0, "It is done.", 3)
    assert value["usage"]["input_tokens"] == 400
    assert value["agents"]["ann"]["type"] == "general-purpose"
    assert value["agents"]["ann"]["usage"]["input_tokens"] == 100
    assert done.stderr == ""
    server.assert_finished()


def test_the_stream_says_whose_line_it_is(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(plays())
    done = roocode("-p", "Go.", "--output-format", "stream-json", *BYPASS, **address(server))
    told = lines(done.stdout)
    (call,) = [
        part["id"]
        for line in told
        if line["type"] == "assistant"
        for part in line["message"]["content"]
        if part["type"] == "tool_use"
    ]
    parents = {line["agent"]: line["parent_tool_use_id"] for line in told if line["type"] == "assistant"}
    assert parents == {"main": None, "ann": call}
    started, *_, notified = [line for line in told if line.get("subtype", "").startswith("task_")]
    assert (started["subtype"], started["tool_use_id"]) == ("task_started", call)
    assert (notified["subtype"], notified["status"], notified["result"]) == (
        "task_notification", "completed", "Here.",
    )  # fmt: skip
    assert [line["type"] for line in told].count("result") == 1


def test_verbose_text_names_the_sub_agent(scripted: Scripted, roocode: Roocode) -> None:
    server = scripted(plays())
    done = roocode("-p", "Go.", "-v", *BYPASS, **address(server))
    assert done.stdout == "It is done.\n"
    assert "ann: background (general-purpose: find it)" in done.stderr


def test_agents_are_defined_on_the_command_line(scripted: Scripted, roocode: Roocode) -> None:
    given = json.dumps({"shouter": {"description": "shouts", "prompt": "Shout all.", "tools": ["Read"]}})
    server = scripted(
        {
            "agents": {
                "main": [
                    {
                        "when": {"any_contains": "- shouter: shouts"},
                        "calls": [agent(subagent_type="shouter", name="ann")],
                    },
                    {"text": "Done."},
                ],
                "ann": [{"when": {"system_contains": "Shout all."}, "text": "HERE."}],
            }
        }
    )
    done = roocode("-p", "Go.", "--agents", given, **address(server))
    assert (done.returncode, done.stdout) == (0, "Done.\n")


def test_a_limit_in_seconds_ends_the_waiting(scripted: Scripted, roocode: Roocode, project: Any) -> None:
    (project.parent / "home" / ".roocode").mkdir()
    (project.parent / "home" / ".roocode" / "config.yaml").write_text("max_seconds: 2\n")
    server = scripted(
        {
            "agents": {
                "main": [
                    {"calls": [typed(name="ann", run_in_background=True)]},
                    {"text": "I go on."},
                    {"when": {"last_contains": 'status="stopped"'}, "text": "Cut short."},
                ],
                "ann": [{"text": "Too late.", "first_token_delay_s": 60, "once": True}],
            }
        }
    )
    done = roocode("-p", "Go.", *BYPASS, **address(server))
    assert (done.returncode, done.stdout) == (53, "Cut short.\n")
