"""Trust is a yes to content, kept private."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.trust import (
    effective_files,
    revoke,
    standing,
    trust,
    trusted_directories,
)
from roocode.protocol.errors import UserError


def trust_now(places: Places) -> None:
    """A person's yes to what is there."""
    trust(places, effective_files(places.root))


def test_nothing_is_trusted_by_itself(places: Places) -> None:
    assert not standing(places).whole


def test_a_yes_lasts_while_the_content_is_the_same(places: Places) -> None:
    places.config("project").write_text("model: a\n")
    trust_now(places)
    assert standing(places).whole

    places.config("project").write_text("model: b\n")

    assert not standing(places).whole
    assert standing(places).changed == (".roocode/config.yaml",)


@pytest.mark.parametrize(
    "path",
    [
        ".roocode/config.local.yaml",
        ".roocode/agents/a.md",
        ".roocode/skills/x/scripts/run.sh",
        ".roocode/teams/t.yaml",
        ".mcp.json",
        ".claude/settings.json",
    ],
)
def test_a_new_file_that_would_take_effect_ends_trust(places: Places, path: str) -> None:
    trust_now(places)
    (places.root / path).parent.mkdir(parents=True, exist_ok=True)
    (places.root / path).write_text("x")

    assert not standing(places).whole


def test_other_files_and_a_teams_state_do_not(places: Places) -> None:
    trust_now(places)
    (places.root / "main.py").write_text("x")
    (places.root / ".roocode/teams/fix").mkdir(parents=True)
    (places.root / ".roocode/teams/fix/team.json").write_text("{}")

    assert standing(places).whole


def test_what_a_link_leads_to_is_part_of_the_content(places: Places, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("one")
    skills = places.root / ".roocode/skills"
    skills.mkdir()
    (skills / "linked").symlink_to(outside)
    (outside / "loop").symlink_to(outside)
    trust_now(places)
    assert standing(places).whole

    (outside / "SKILL.md").write_text("two")

    assert not standing(places).whole


def test_a_yes_is_for_what_was_shown(places: Places) -> None:
    shown = effective_files(places.root)
    places.config("project").write_text("hooks: []\n")

    trust(places, shown)

    assert not standing(places).whole


def test_trust_is_not_for_directories_below_or_above(places: Places, env: dict[str, str]) -> None:
    trust_now(places)
    inner = places.root / "inner"
    (inner / ".git").mkdir(parents=True)

    assert not standing(find_places(inner, env)).whole


def test_the_record_is_private_and_lists_directories(places: Places) -> None:
    trust_now(places)

    assert places.trust.stat().st_mode & 0o777 == 0o600
    assert [record.directory for record in trusted_directories(places)] == [str(places.root)]


def test_a_directory_is_forgotten(places: Places) -> None:
    trust_now(places)

    assert revoke(places, places.root)
    assert not standing(places).whole
    assert not revoke(places, places.root)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"schema": 1}',
        '{"schema": 2, "directories": {}}',
        '{"schema": 1, "directories": {"/": 1}}',
    ],
)
def test_a_record_that_cannot_be_understood_is_an_error_and_stays(places: Places, content: str) -> None:
    places.home.mkdir()
    places.trust.write_text(content)

    with pytest.raises(UserError, match=r"trust\.json"):
        standing(places)
    with pytest.raises(UserError):
        trust_now(places)
    assert places.trust.read_text() == content


def test_writers_at_once_lose_nothing(tmp_path: Path, env: dict[str, str]) -> None:
    roots = [tmp_path / f"p{number}" for number in range(12)]
    for root in roots:
        (root / ".git").mkdir(parents=True)
    threads = [threading.Thread(target=trust_now, args=(find_places(root, env),)) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    recorded = json.loads(find_places(roots[0], env).trust.read_text())["directories"]
    assert set(recorded) == {str(root) for root in roots}
