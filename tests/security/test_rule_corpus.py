"""Every line of the rule corpus, and properties over many rule sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.protocol.decisions import MODES, Verdict
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import TIERS, Policy, Rule, Tier
from roocode.security.permissions.rules import parse_rule
from tests.security import rule_cases

_RANK = {"allow": 0, "ask": 1, "deny": 2}

_CALLS: list[tuple[str, Arguments]] = [
    ("Bash", {"command": "git status && npm test"}),
    ("Bash", {"command": "git push origin topic"}),
    ("Bash", {"command": "cat .env"}),
    ("Bash", {"command": "sudo make install"}),
    ("Read", {"file_path": "src/a.py"}),
    ("Edit", {"file_path": "src/a.py"}),
    ("Write", {"file_path": ".vscode/tasks.json"}),
    ("WebFetch", {"url": "https://docs.python.org/3/"}),
    ("mcp__github__get_issue", {"id": 1}),
    ("TaskList", {}),
]

_TEXTS = [
    "Bash", "Bash(git *)", "Bash(git push *)", "Bash(npm test)", "Bash(make*)", "Bash(cat *)", "Read",
    "Read(.env)", "Read(src/**)", "Edit", "Edit(src/**)", "Write(*)", "WebFetch", "mcp__github", "TaskList",
    "WebFetch(domain:*.python.org)", "mcp__github__get_*", "*", "Nonsense", "Bash(",
]  # fmt: skip


@pytest.mark.parametrize("case", rule_cases.cases(), ids=lambda case: f"{case['id']}-{case['class']}")
def test_line(case: dict[str, Any], tmp_path: Path) -> None:
    with rule_cases.project(tmp_path) as there:
        assert rule_cases.complaint(case, rule_cases.answer(case, there)) == "", case["why"]


def test_the_score_counts_every_line() -> None:
    right, total = rule_cases.score()

    assert right == total
    assert total.total() == len(rule_cases.cases())


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rule_cases.Project]:
    with rule_cases.project(tmp_path_factory.mktemp("rules")) as built:
        yield built


def _rule(verdict: Verdict, text: str, tier: Tier) -> Rule:
    return parse_rule(text, verdict, tier, tier)


_verdicts = st.sampled_from(["allow", "ask", "deny"])
_rules = st.lists(st.builds(_rule, _verdicts, st.sampled_from(_TEXTS), st.sampled_from(TIERS)), max_size=6)
_lenient = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _rank(there: rule_cases.Project, policy: Policy, call: tuple[str, Arguments]) -> int:
    return _RANK[check(*call, policy, pinned(Workspace(there.root)))["decision"]]


@_lenient
@given(
    _rules, st.sampled_from(_CALLS), st.sampled_from(MODES), st.booleans(), st.sampled_from(_TEXTS), st.data()
)
def test_a_further_deny_rule_never_loosens(
    there: rule_cases.Project,
    rules: list[Rule],
    call: tuple[str, Arguments],
    mode: Any,
    trusted: bool,
    text: str,
    data: st.DataObject,
) -> None:
    policy = Policy(there.home, mode, tuple(rules), trusted=trusted)
    further = _rule("deny", text, data.draw(st.sampled_from(TIERS)))
    stricter = replace(policy, rules=(*policy.rules, further))

    assert _rank(there, stricter, call) >= _rank(there, policy, call)


@_lenient
@given(_rules, st.sampled_from(_CALLS), st.sampled_from(MODES))
def test_losing_trust_never_loosens(
    there: rule_cases.Project, rules: list[Rule], call: tuple[str, Arguments], mode: Any
) -> None:
    """The directory's own questions aside: they fall away together with its allow rules."""
    kept = tuple(rule for rule in rules if rule.verdict != "ask" or rule.tier in ("session", "user"))
    trusted = Policy(there.home, mode, kept, trusted=True)

    assert _rank(there, replace(trusted, trusted=False), call) >= _rank(there, trusted, call)


@_lenient
@given(_rules, st.sampled_from(_CALLS), st.sampled_from(MODES))
def test_an_untrusted_directory_changes_nothing_of_the_persons_own_rules_but_by_denying(
    there: rule_cases.Project, rules: list[Rule], call: tuple[str, Arguments], mode: Any
) -> None:
    policy = Policy(there.home, mode, tuple(rules))
    own = replace(
        policy,
        rules=tuple(rule for rule in rules if rule.verdict == "deny" or rule.tier in ("session", "user")),
    )

    assert _rank(there, policy, call) == _rank(there, own, call)


@_lenient
@given(_rules, st.sampled_from(_CALLS), st.sampled_from(MODES))
def test_an_unreadable_tier_never_loosens(
    there: rule_cases.Project, rules: list[Rule], call: tuple[str, Arguments], mode: Any
) -> None:
    policy = Policy(there.home, mode, tuple(rules), trusted=True)
    broken = replace(policy, config_errors=("local: broken",))

    assert _rank(there, broken, call) >= _rank(there, policy, call)


@_lenient
@given(_rules, st.sampled_from(_CALLS))
def test_no_mode_is_stricter_than_dont_ask_nor_looser_than_bypass(
    there: rule_cases.Project, rules: list[Rule], call: tuple[str, Arguments]
) -> None:
    ranks = {
        mode: _rank(there, Policy(there.home, mode, tuple(rules), trusted=True), call)
        for mode in ("default", "acceptEdits", "dontAsk", "bypassPermissions")
    }

    assert ranks["dontAsk"] >= ranks["default"] >= ranks["acceptEdits"] >= ranks["bypassPermissions"]
