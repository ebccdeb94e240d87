"""Rules that are too wide to be proposed, and rules that a person writes for a question."""

from __future__ import annotations

import pytest

from roocode.protocol.decisions import PermissionQuestion, RuleProposal
from roocode.security.permissions.breadth import too_wide
from roocode.security.permissions.rule_fit import misfit


@pytest.mark.parametrize(
    "rule",
    [
        "Bash", "Bash(*)", "Bash( * )", "Bash(:*)", "Bash(p*)", "Bash(* test)", "Bash(python *)",
        "Bash(python:*)", "Bash(python3.11 *)", "Bash(python -c *)", "Bash(node *)", "Bash(bash -c *)",
        "Bash(sh *)", "Bash(sudo *)",
        "Bash(sudo apt *)", "Bash(env *)", "Bash(xargs *)", "Bash(find *)", "Bash(rm *)", "Bash(rm -rf *)",
        "Bash(git *)", "Bash(git push *)", "Bash(git -C *)", "Bash(git checkout *)", "Bash(npm *)",
        "Bash(npm exec *)", "Bash(uv run *)", "Bash(docker run *)", "Bash(curl *)",
        "Bash(/bin/rm *)", "Bash(make *)",
        "EditFile", "Edit(**)", "WriteFile(/**)", "Edit(*)", "WebFetch", "WebFetch(domain:*)", "mcp__files",
        "mcp__files__*",
    ],
)  # fmt: skip
def test_too_wide(rule: str) -> None:
    assert too_wide(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(git commit *)", "Bash(git commit -m x)", "Bash(npm test *)", "Bash(pytest *)",
        "Bash(python x.py)", r"Bash(rm \*)", "Bash(rm -rf build)", "Bash(make test)", "Bash(make test *)",
        "Bash(sudo make install)",
        "EditFile(/src/a.py)", "EditFile(/src/**)", "ReadFile", "WebFetch(domain:example.org)",
        "mcp__files__read",
    ],
)  # fmt: skip
def test_keeps_to_its_kind(rule: str) -> None:
    assert too_wide(rule) == ""


def _question(tool: str) -> PermissionQuestion:
    return PermissionQuestion(
        "q", "main", tool, {}, "", "", "mode", "d", root="/repo/sub", directory="/repo/sub"
    )


@pytest.mark.parametrize(
    ("tool", "about", "rule", "said"),
    [
        ("Bash", "make test", "Bash(make test)", ""),
        ("Bash", "make test", "Bash(make *)", ""),
        ("Bash", "make test", "Bash", ""),
        ("Bash", "make test", "Bash(make all)", "does not cover make test"),
        ("Bash", "make test", "Bash(make test", "expected Tool or Tool(pattern)"),
        ("Bash", "make test", "Bsh(make test)", "there is no tool called Bsh"),
        ("Bash", "make test", "", "the rule is empty"),
        ("Bash", "make test", "Bash(make test && x)", "write one rule for each"),
        ("Bash", "make test", "ReadFile", "it is about ReadFile"),
        ("EditFile", "/repo/sub/src/a.py", "EditFile(/sub/src/a.py)", ""),
        ("EditFile", "/repo/sub/src/a.py", "Edit(src/**)", ""),
        ("EditFile", "/repo/sub/src/a.py", "Edit(*.py)", ""),
        ("EditFile", "/repo/sub/src/a.py", "Edit(/src/a.py)", "does not cover"),
        ("WriteFile", "/repo/sub/src/a.py", "EditFile(/sub/**)", ""),
        ("WebFetch", "https://a.example.org/x", "WebFetch(domain:*.example.org)", ""),
        ("WebFetch", "https://a.example.org/x", "WebFetch(domain:example.org)", "does not cover"),
        ("mcp__s__t", "mcp__s__t", "mcp__s", ""),
        ("mcp__s__t", "mcp__s__t", "mcp__x", "it is about mcp__x"),
    ],
)
def test_a_rule_has_to_cover_the_part_that_it_is_written_for(
    tool: str, about: str, rule: str, said: str
) -> None:
    found = misfit(rule, RuleProposal(rule, about), _question(tool), base="/repo", home="/home/u")
    assert said in found if said else found == ""
