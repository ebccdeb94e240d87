"""A narrowing leaves out, and never lets in."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES, Decision, Mode
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.grants import Grants
from roocode.security.permissions.names import presumed_touches
from roocode.security.permissions.narrowing import narrowing
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule


class Desk:
    """A project in which a skill is held to some tools."""

    def __init__(self, top: Path) -> None:
        self.workspace = Workspace(top, scratch=top / "scratch")
        self.home = top / "home"

    def ask(
        self, tool: str, arguments: Arguments, *tools: str, mode: Mode = "default", allow: str = ""
    ) -> Decision:
        rules = (parse_rule(allow, "allow", "user"),) if allow else ()
        narrowings = (narrowing("the skill x", tools),)
        policy = Policy(self.home, mode, rules, trusted=True, narrowings=narrowings)
        return decide(tool, arguments, presumed_touches(tool, arguments), policy, self.workspace, Grants())

    def bash(self, command: str, *tools: str) -> str:
        return self.ask("Bash", {"command": command}, *tools, mode="bypassPermissions").verdict


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "a.py").write_text("x")
    return Desk(tmp_path.resolve())


@pytest.mark.parametrize("mode", MODES)
def test_what_is_left_out_is_denied_in_every_mode_and_by_every_rule(desk: Desk, mode: Mode) -> None:
    decision = desk.ask("Bash", {"command": "ls"}, "Read", "Grep", mode=mode, allow="Bash")
    assert (decision.verdict, decision.source) == ("deny", "the skill x")
    assert decision.reason == "the skill x may use these tools only: Read, Grep"


def test_what_is_within_is_judged_as_ever(desk: Desk) -> None:
    write = {"path": "a.py", "content": "y"}
    assert desk.ask("WriteFile", write, "Write").verdict == "ask"
    assert desk.ask("WriteFile", write, "Write", mode="acceptEdits").verdict == "allow"
    assert desk.ask("ReadFile", {"path": "a.py"}, "Read").verdict == "allow"
    assert desk.ask("Bash", {"command": "rm -rf /"}, "Bash").verdict == "deny"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("git status", "allow"),
        ("cd . && git status", "allow"),
        ("git status && make", "deny"),
        ("make", "deny"),
        ("git log $(make)", "deny"),
        ("eval make", "deny"),
    ],
)
def test_a_pattern_holds_for_every_part_of_a_line(desk: Desk, command: str, verdict: str) -> None:
    assert desk.bash(command, "Bash(git:*)") == verdict


def test_nothing_is_within_an_empty_list_or_a_broken_rule(desk: Desk) -> None:
    assert desk.bash("ls") == "deny"
    assert desk.bash("ls", "Bash(ls") == "deny"


def test_servers_are_named_as_in_rules(desk: Desk) -> None:
    assert desk.ask("mcp__time__now", {}, "mcp__time", mode="bypassPermissions").verdict == "allow"
    assert desk.ask("mcp__time__now", {}, "mcp__times", mode="bypassPermissions").verdict == "deny"
