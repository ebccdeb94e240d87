"""Changing files for the person: all or nothing, and trust follows our own hand only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.interaction.config.change import remember_rules, set_key
from roocode.interaction.config.places import Places
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.trust import effective_files, standing, trust
from roocode.protocol.errors import HostError, UserError

Load = Callable[..., Settings]


def test_a_key_is_set_for_the_user_in_a_private_file(places: Places, load: Load) -> None:
    changed = set_key(places, "user", "team.max_teammates", "3")

    assert changed.counts
    assert load().team.max_teammates == 3
    assert changed.path.stat().st_mode & 0o777 == 0o600
    assert places.home.stat().st_mode & 0o777 == 0o700


def test_a_users_link_is_followed(places: Places, user_file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles.yaml"
    elsewhere.write_text("# mine\n")
    user_file.symlink_to(elsewhere)

    set_key(places, "user", "model", "a/b")

    assert user_file.is_symlink()
    assert elsewhere.read_text() == "# mine\nmodel: a/b\n"


def test_a_projects_link_is_not(places: Places, tmp_path: Path) -> None:
    victim = tmp_path / ".bashrc"
    victim.write_text("# shell\n")
    places.config("local").symlink_to(victim)

    with pytest.raises(UserError, match="behind a link"):
        remember_rules(places, ["Bash(ls)"])
    assert victim.read_text() == "# shell\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("providers.x.protocol", "openai"),
        ("permissions.mode", "bypassPermissions"),
        ("permissions.additional_directories", '["/"]'),
        ("sandbox", "off"),
        ("sandbox", "auto"),
    ],
)
def test_what_a_project_may_never_say_is_not_written_to_it(places: Places, key: str, value: str) -> None:
    with pytest.raises(UserError, match="never read from a project's files"):
        set_key(places, "project", key, value)
    assert not places.config("project").exists()


@pytest.mark.parametrize(
    ("old", "key", "value", "said"),
    [
        ("modle: x\n", "model", "a/b", "unknown key 'modle'"),
        ("# mine\n", "providers.x.base_url", "http://x.example", "providers.x.protocol: is missing"),
        ("model: [\n", "model", "a/b", "not valid YAML"),
    ],
)
def test_a_result_that_would_not_load_is_not_written(
    places: Places, user_file: Path, old: str, key: str, value: str, said: str
) -> None:
    user_file.write_text(old)

    with pytest.raises(UserError, match=said):
        set_key(places, "user", key, value)

    assert user_file.read_text() == old
    assert {path.name for path in places.home.iterdir()} == {"config.yaml", "config.lock"}


def test_remembered_rules_count_at_once_without_trust(places: Places, load: Load) -> None:
    changed = remember_rules(places, ["Bash(make *)", "Bash(ls)"])

    assert changed.counts
    assert not load().trusted
    assert [(rule.verdict, rule.text, rule.tier) for rule in load().rules] == [
        ("allow", "Bash(make *)", "local"),
        ("allow", "Bash(ls)", "local"),
    ]

    remember_rules(places, ["Bash(pwd)"])
    assert [rule.text for rule in load().rules] == ["Bash(make *)", "Bash(ls)", "Bash(pwd)"]


def test_rules_of_the_person_go_to_their_own_file(places: Places, load: Load, user_file: Path) -> None:
    user_file.write_text("# mine\n")

    changed = remember_rules(places, ["Bash(make *)"], scope="user")

    assert (changed.path, changed.counts) == (user_file, True)
    assert user_file.read_text().startswith("# mine\n")
    assert [(rule.text, rule.tier) for rule in load().rules] == [("Bash(make *)", "user")]


def test_a_file_that_is_read_only_stays_as_it_is(places: Places) -> None:
    path = places.config("local")
    path.write_text("# mine\n")
    path.chmod(0o444)

    with pytest.raises(HostError, match="read-only"):
        remember_rules(places, ["Bash(ls)"])

    assert path.read_text() == "# mine\n"
    assert [each.name for each in path.parent.iterdir()] == ["config.local.yaml"]


def test_a_broken_file_is_named_with_its_line_and_loses_nothing(places: Places) -> None:
    path = places.config("local")
    path.write_text("permissions:\n  allow: [a\n  deny: [b]\n")

    with pytest.raises(UserError, match=r"config\.local\.yaml:\d+: not valid YAML"):
        remember_rules(places, ["Bash(ls)"])

    assert path.read_text() == "permissions:\n  allow: [a\n  deny: [b]\n"


def test_they_stop_counting_when_somebody_else_changes_the_file(places: Places, load: Load) -> None:
    remember_rules(places, ["Bash(ls)"])
    path = places.config("local")
    path.write_text(path.read_text().replace("ls", "rm *"))
    assert load().rules == ()

    changed = remember_rules(places, ["Bash(pwd)"])

    assert not changed.counts
    assert load().rules == ()


def test_a_file_that_came_with_the_project_is_not_vouched_for(places: Places, load: Load) -> None:
    places.config("local").write_text('permissions: {allow: ["Bash(rm *)"]}\n')

    assert not remember_rules(places, ["Bash(ls)"]).counts
    assert load().rules == ()


def test_our_own_change_keeps_a_trusted_directory_trusted(places: Places) -> None:
    places.config("project").write_text("model: a/b\n")
    trust(places, effective_files(places.root))

    assert remember_rules(places, ["Bash(ls)"]).counts
    assert standing(places).whole
    assert set_key(places, "project", "team.backend", "tmux").counts
    assert standing(places).whole


def test_rules_from_many_hands_at_once_are_all_kept(places: Places, load: Load) -> None:
    rules = [f"Bash(make {number})" for number in range(10)]
    threads = [threading.Thread(target=remember_rules, args=(places, [rule])) for rule in rules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {rule.text for rule in load().rules} == set(rules)
