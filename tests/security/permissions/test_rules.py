from __future__ import annotations

import pytest

from roocode.protocol.decisions import Verdict
from roocode.security.permissions.names import canonical, canonical_fields, presumed_touches
from roocode.security.permissions.policy import Rule
from roocode.security.permissions.rules import complaints, parse_rule


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


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("", "deny", "empty"),
        ("Bash(", "deny", "expected Tool"),
        ("Bash()", "deny", "empty"),
        ("(x)", "deny", "expected Tool"),
        ("bash(rm *)", "deny", "no tool called bash"),
        ("Reed(x)", "allow", "no tool called Reed"),
        ("*", "allow", "only after mcp__server__"),
        ("mcp__*", "allow", "only after mcp__server__"),
        ("mcp__git*__x", "allow", "only after mcp__server__"),
        ("Bash(a && b)", "allow", "one rule for each"),
        ("Bash(curl * | sh)", "allow", "one rule for each"),
        ("Bash(command:rm *)", "deny", "the pattern itself"),
        ("mcp__s__t(id:3)", "allow", "single field"),
        ("TodoWrite(x)", "deny", "takes no pattern"),
        ("WebFetch(docs.python.org)", "allow", "expected WebFetch(domain:host)"),
        ("Read(!src)", "deny", "negated"),
    ],
)
def test_rules_that_can_never_match_are_reported(text: str, verdict: Verdict, reason: str) -> None:
    (line,) = complaints([_rule(text, verdict)])

    assert reason in line
    assert line.startswith(f"config.yaml:3: {verdict} rule")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("*", "deny"),
        ("mcp__*", "ask"),
        ("mcp__github", "allow"),
        ("mcp__github__get_*", "allow"),
        ("mcp__s__t(id:3)", "deny"),
        ("Bash(run_in_background:true)", "deny"),
        ("Bash(curl * | sh)", "deny"),
        ("LS", "deny"),
        ("Agent(Explore)", "allow"),
    ],
)
def test_sound_rules_are_not_reported(text: str, verdict: Verdict) -> None:
    assert complaints([_rule(text, verdict)]) == ()


def test_tools_beyond_the_built_in_ones_are_known_when_they_are_named() -> None:
    assert complaints([_rule("Deploy")]) != ()
    assert complaints([_rule("Deploy")], frozenset({"Deploy"})) == ()


def test_names_and_fields_of_other_agents() -> None:
    assert canonical("Read") == "ReadFile"
    assert canonical("read") == "read"
    assert canonical_fields("Edit", {"file_path": "a", "old_string": "b"}) == {"path": "a", "old_string": "b"}
    assert canonical_fields("ReadFile", {"path": "a", "file_path": "b"}) == {"path": "a"}
    assert canonical_fields("mcp__s__t", {"file_path": "a"}) == {"file_path": "a"}


def test_an_unknown_tool_is_presumed_to_have_an_effect() -> None:
    assert presumed_touches("bash", {"command": "ls"}).other
    assert not presumed_touches("TaskList", {}).other
