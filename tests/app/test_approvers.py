"""Rules of an "always": which file they go to, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.app.approvers import LocalRules, RulesOfTheLead, rule_check
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.ui.terminal.rule_list import RuleVerdict
from roocode.protocol.decisions import PermissionQuestion, RuleProposal
from roocode.protocol.errors import HostError


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("home", "project/.git", "project/.roocode"):
        (tmp_path / name).mkdir(parents=True)
    return find_places(tmp_path / "project", {"HOME": str(tmp_path / "home")})


def test_the_files_are_named_as_people_write_them(places: Places) -> None:
    assert LocalRules(places).stores == (
        ("local", ".roocode/config.local.yaml"),
        ("user", "~/.roocode/config.yaml"),
    )


def test_rules_are_stored_and_count_without_trust(places: Places) -> None:
    rules = LocalRules(places)
    assert rules.add_allow(("Bash(make)",), "local") == ".roocode/config.local.yaml"
    assert rules.add_allow(("Bash(ls)",), "user") == "~/.roocode/config.yaml"
    settings = load_settings(places.root, {"HOME": str(places.person)})
    assert not settings.trusted
    assert {(rule.text, rule.tier) for rule in settings.rules} == {
        ("Bash(make)", "local"),
        ("Bash(ls)", "user"),
    }


def test_a_file_that_came_with_the_project_does_not_count_and_that_is_said(places: Places) -> None:
    places.config("local").write_text("# theirs\npermissions: {allow: [Bash]}\n")
    said = LocalRules(places).add_allow(("Bash(make)",), "local")
    assert said == ".roocode/config.local.yaml, which counts only once you trust this directory"
    assert load_settings(places.root, {"HOME": str(places.person)}).rules == ()


def test_a_rule_that_a_person_writes_is_judged_for_its_question(places: Places) -> None:
    root = str(places.root / "sub")
    asked = PermissionQuestion("q", "main", "Bash", {}, "", "", "mode", "d", root=root, directory=root)
    check, about = rule_check(places), RuleProposal("Bash(make all)", "make all")
    assert check(asked, about, "Bash(make al*)") == RuleVerdict()
    assert check(asked, about, "Bash(npm *)").objection == "it does not cover make all"
    assert check(asked, about, "Bash").warning == "it covers every command there is"


def test_a_teammate_stores_nothing() -> None:
    with pytest.raises(HostError, match="stored by the team's lead"):
        RulesOfTheLead("/repo").add_allow(("Bash",), "local")
