from __future__ import annotations

import pytest

from roocode.protocol.decisions import Verdict
from roocode.security.permissions.names import canonical, canonical_fields, presumed_touches
from roocode.security.permissions.policy import Rule
from roocode.security.permissions.rules import parse_rule


def _rule(text: str, verdict: Verdict = "allow") -> Rule:
    return parse_rule(text, verdict, "user", "config.yaml:3")


@pytest.mark.parametrize(
    ("text", "tool", "spec"),
    [
        ("Bash", "Bash", None),
        ("Bash(*)", "Bash", None),
        ("Bash(git log *)", "Bash", "git log *"),
        (" Bash( npm test ) ", "Bash", "npm test"),
        ("Bash(echo (x))", "Bash", "echo (x)"),
        ("Read(src/**)", "ReadFile", "src/**"),
        ("Write(**)", "WriteFile", "**"),
        ("MultiEdit", "EditFile", None),
        ("NotebookEdit(a.ipynb)", "EditFile", "a.ipynb"),
        ("Task(Explore)", "Agent", "Explore"),
        ("Skill(commit)", "LoadSkill", "commit"),
        ("AskUserQuestion", "AskUser", None),
        ("mcp__github__*", "mcp__github__*", None),
    ],
)
def test_reading(text: str, tool: str, spec: str | None) -> None:
    rule = _rule(text)

    assert (rule.tool, rule.spec, rule.flaw) == (tool, spec, "")
    assert rule.text == text


def test_names_and_fields_of_other_agents() -> None:
    assert canonical("Read") == "ReadFile"
    assert canonical("read") == "read"
    assert canonical_fields("Edit", {"file_path": "a", "old_string": "b"}) == {"path": "a", "old_string": "b"}
    assert canonical_fields("ReadFile", {"path": "a", "file_path": "b"}) == {"path": "a"}
    assert canonical_fields("mcp__s__t", {"file_path": "a"}) == {"file_path": "a"}


def test_an_unknown_tool_is_presumed_to_have_an_effect() -> None:
    assert presumed_touches("bash", {"command": "ls"}).other
    assert not presumed_touches("TaskList", {}).other
