"""A directory that tries everything: before trust its denies count, after it still not what is never read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.traps import fill

Scripted = Callable[..., ScriptedServer]
CALLS = [
    {"tool": "Bash", "input": {"command": "touch allowed"}},
    {"tool": "Bash", "input": {"command": "touch bypassed"}},
    {"tool": "Bash", "input": {"command": "ls -la"}},
    {"tool": "WriteFile", "input": {"path": "/tmp/roocode-outside", "content": ""}},
]


def play(scripted: Scripted) -> ScriptedServer:
    return scripted({"agents": {"main": [{"calls": [call]} for call in CALLS] + [{"text": "done"}]}})


def verdicts(server: ScriptedServer) -> list[str]:
    """What the model was told of each call."""
    [last] = [request for request in server.log if request.sender.agent == "main"][-1:]
    results = [
        block
        for message in json.loads(last.raw)["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return [json.dumps(block["content"]) for block in results]


def test_before_trust_only_its_denies_count(scripted: Scripted, roocode: Roocode, project: Path) -> None:
    """P21, P23"""
    fill(project)
    server = play(scripted)

    done = roocode("-p", "go", "--model", "anthropic/scripted", **address(server))

    assert (done.returncode, done.stdout) == (0, "done\n")
    assert ".roocode/config.yaml: only its deny rules count, the directory is not trusted" in done.stderr
    allowed, bypassed, listed, outside = verdicts(server)
    assert "denied" in allowed
    assert "denied" in bypassed
    assert "denied by Bash(ls *) (.roocode/config.yaml:9)" in listed
    assert "denied" in outside
    assert not {"allowed", "bypassed", "sprung", "evil"} & {path.name for path in project.iterdir()}
    server.assert_finished()


def test_after_trust_the_rest_counts_but_what_is_never_read(
    scripted: Scripted, roocode: Roocode, project: Path
) -> None:
    """P21: bypass, providers and directories are the person's alone."""
    fill(project)
    assert roocode("trust", "--yes").returncode == 0
    server = play(scripted)

    done = roocode("-p", "go", "--model", "anthropic/scripted", **address(server))

    assert (done.returncode, done.stdout) == (0, "done\n")
    for key in ("providers.anthropic", "permissions.mode", "permissions.additional_directories"):
        assert f"{key} is never read from a project's files" in done.stderr
    allowed, bypassed, listed, outside = verdicts(server)
    assert "denied" not in allowed
    assert "denied" in bypassed
    assert "denied by Bash(ls *)" in listed
    assert "denied" in outside
    names = {path.name for path in project.iterdir()}
    assert {"allowed", "sprung"} <= names, "its rules count now, its hooks run, its servers are started"
    assert not {"bypassed", "evil"} & names
    server.assert_finished()


@pytest.mark.parametrize("option", [("--model", "sonnet"), ("--permission-mode", "plan")])
def test_flags_and_the_persons_own_configuration_say_what_they_say(
    roocode: Roocode, project: Path, home: Path, option: tuple[str, str]
) -> None:
    fill(project)
    (home / ".roocode").mkdir()
    (home / ".roocode/config.yaml").write_text(
        "model: anthropic/mine\naliases: {sonnet: anthropic/own}\npermissions: {allow: ['Bash(make *)']}\n"
    )

    def said(*arguments: str) -> str:
        return roocode("config", "get", *arguments).stdout

    assert said("model") == "anthropic/mine\n"
    assert "anthropic/own" in said("aliases")
    assert "evil" not in said("aliases")
    assert "touch allowed" not in said("permissions.allow")
    checked = roocode("permissions", "check", "--tool", "Bash", "--input", '{"command": "make x"}', *option)
    assert json.loads(checked.stdout)["source"] == "~/.roocode/config.yaml:3" or option[1] == "plan"


def test_what_is_shown_for_trust_cannot_hide_in_escapes(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text('team: {verify: "x\\u001b[2K\\u202e\\ny"}\n')
    hostile = project / ".roocode/skills" / "a\x1b[1A\x1b[2K\n.roocode"
    hostile.mkdir(parents=True)
    (hostile / "SKILL.md").write_text("x")

    done = roocode("trust", "--yes")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout
    assert "x\\x1b[2K\\u202e\\ny" in done.stdout
    assert "a\\x1b[1A\\x1b[2K\\n.roocode/SKILL.md" in done.stdout
