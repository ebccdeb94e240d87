from __future__ import annotations

import pytest

from roocode.protocol.decisions import Verdict
from roocode.security.permissions.policy import Rule, Tier
from roocode.security.permissions.review import review
from roocode.security.permissions.rules import parse_rule


def _rule(text: str, verdict: Verdict = "allow", tier: Tier = "user") -> Rule:
    return parse_rule(text, verdict, tier, "config.yaml:3")


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
        ("WebFetch(docs.python.org)", "allow", "expected WebFetch(domain:docs.python.org)"),
        ("Read(!src)", "deny", "negated"),
        ("Read(~nobody/x)", "deny", "named user"),
        ("Read(../x)", "deny", "without `..`"),
        ("WebFetch(https://docs.python.org/3)", "deny", "expected WebFetch(domain:docs.python.org)"),
        ("WebFetch(domain:)", "deny", "expected WebFetch(domain:host)"),
        ("WebFetch(domain:https://x.org)", "deny", "host alone"),
        ("WebFetch(domain:x.org/p)", "deny", "host alone"),
        ("WebFetch(domain:a..b)", "deny", "host alone"),
        ("WebFetch(url:x)", "deny", "expected WebFetch"),
        ("mcp__", "deny", "names no server"),
    ],
)
def test_rules_that_can_never_match_are_reported(text: str, verdict: Verdict, reason: str) -> None:
    (remark,) = review([_rule(text, verdict)])

    assert remark.is_fault
    assert reason in str(remark)
    assert str(remark).startswith(f"config.yaml:3: {verdict} rule {text} never matches")


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
        ("Bash(grep * /etc/*)", "deny"),
        ("Bash(npx *)", "allow"),
        ("Bash(find . -name x -delete)", "allow"),
        ("Read(//etc/**)", "deny"),
        ("Read(~/.ssh/**)", "deny"),
        ("Read(**/[a-z].key)", "deny"),
        ("WebFetch(domain:*)", "allow"),
        ("WebFetch(domain:*.x.org)", "allow"),
        ("WebFetch(prompt:*secret*)", "ask"),
    ],
)
def test_sound_rules_are_not_reported(text: str, verdict: Verdict) -> None:
    assert not list(review([_rule(text, verdict)]))


def test_tools_beyond_the_built_in_ones_are_known_when_they_are_named() -> None:
    assert list(review([_rule("Deploy")]))
    assert not list(review([_rule("Deploy")], frozenset({"Deploy"})))


@pytest.mark.parametrize(
    ("allow", "deny"),
    [
        ("Bash(git push *)", "Bash(git *)"),
        ("Bash(git push *)", "Bash(git push:*)"),
        ("Bash(git push)", "Bash(git push *)"),
        ("Bash(git push *)", "Bash"),
        ("Bash(git push *)", "*"),
        ("Edit(src/**)", "Edit"),
        ("Write(src/**)", "Edit(**)"),
        ("Read(src/**)", "Read(src/**)"),
        ("mcp__git__push", "mcp__git"),
        ("WebFetch(domain:x.org)", "WebFetch"),
    ],
)
def test_a_rule_that_a_deny_of_any_tier_covers_wholly_is_reported(allow: str, deny: str) -> None:
    (remark,) = review([_rule(allow), _rule(deny, "deny", "project")])

    assert remark.rule.text == allow
    assert f"deny rule {deny} (config.yaml:3) forbids all that it is about" in str(remark)


@pytest.mark.parametrize(
    ("allow", "deny"),
    [
        ("Bash(git *)", "Bash(git push *)"),
        ("Bash(git push origin)", "Bash(git push)"),
        ("Bash", "Bash(rm *)"),
        ("Edit(src/**)", "Edit(src/gen/**)"),
        ("Read(src/**)", "Edit(src/**)"),
        ("mcp__git", "mcp__git__push"),
    ],
)
def test_a_rule_that_still_has_something_to_allow_is_not_reported(allow: str, deny: str) -> None:
    assert not list(review([_rule(allow), _rule(deny, "deny")]))


def test_a_repeated_rule_is_told_but_is_no_fault() -> None:
    (remark,) = review([_rule("Read"), _rule("ReadFile"), _rule("Read", tier="local"), _rule("Read", "ask")])

    assert not remark.is_fault
    assert str(remark) == "config.yaml:3: allow rule ReadFile is superfluous: config.yaml:3 says the same"
