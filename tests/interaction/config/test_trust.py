"""Trust is a yes to content, kept private."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.sources import UNTRUSTED, read_settings
from roocode.interaction.config.trust import (
    MAX_BYTES,
    MAX_FILE_BYTES,
    MAX_FOLDERS,
    UNFIT,
    effective_files,
    revoke,
    standing,
    trust,
    trusted_directories,
)
from roocode.protocol.errors import HostError, UserError


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


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def socket_file(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


@pytest.mark.parametrize("make", [fifo, endless, huge, circle, socket_file])
@pytest.mark.parametrize("place", [".mcp.json", ".roocode/skills/s/SKILL.md"])
def test_what_cannot_be_read_whole_is_neither_waited_for_nor_trusted(
    places: Places, make: Callable[[Path], None], place: str
) -> None:
    trust_now(places)
    path = places.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)

    assert effective_files(places.root)[place].startswith(UNFIT)
    assert not standing(places).whole
    assert standing(places).changed == (place,)
    with pytest.raises(UserError, match="cannot be trusted"):
        trust_now(places)


def test_a_record_that_names_the_same_flaw_does_not_make_it_trusted(places: Places) -> None:
    trust_now(places)
    fifo(places.root / ".mcp.json")
    stored = json.loads(places.trust.read_text())
    stored["directories"][str(places.root)]["files"] = effective_files(places.root)
    places.trust.write_text(json.dumps(stored))

    assert not standing(places).whole


def test_no_negative_room_is_told_where_all_files_together_are_too_much(places: Places) -> None:
    agents, teams = places.root / ".roocode/agents", places.root / ".roocode/teams"
    agents.mkdir()
    teams.mkdir()
    for number in range(MAX_BYTES // MAX_FILE_BYTES):
        with (agents / f"{number}.md").open("wb") as file:
            file.truncate(MAX_FILE_BYTES)
    for name in ("x.yaml", "y.yaml"):
        (teams / name).write_text("more")

    told = [digest for digest in effective_files(places.root).values() if digest.startswith(UNFIT)]
    assert told == [f"{UNFIT}it is too large (0 bytes at most)"] * 2


def test_a_tree_without_end_is_not_walked(places: Places) -> None:
    trust_now(places)
    wide = places.root / "wide"
    for number in range(MAX_FOLDERS + 1):
        (wide / str(number)).mkdir(parents=True)
    (places.root / ".roocode/skills").symlink_to(wide)

    assert not standing(places).whole
    assert "more than" in standing(places).changed[0]
    with pytest.raises(UserError, match="more than"):
        effective_files(places.root)


def test_the_whole_disk_behind_a_link_is_not_walked(places: Places) -> None:
    (places.root / ".roocode/skills").symlink_to("/")

    with pytest.raises(UserError, match="more than"):
        effective_files(places.root)


@pytest.mark.parametrize("name", ["config.yaml", "config.local.yaml"])
def test_content_counts_only_while_it_is_what_was_trusted(places: Places, name: str) -> None:
    (places.root / ".roocode" / name).write_text("model: a/b\n")
    trust_now(places)
    stand = standing(places)

    assert stand.is_that(f".roocode/{name}", b"model: a/b\n")
    assert not stand.is_that(f".roocode/{name}", b"model: evil/x\n")
    assert not stand.is_that(".roocode/other.yaml", b"model: a/b\n")
    assert stand.counts(f".roocode/{name}", "model: a/b\n") is stand.whole
    assert not stand.counts(f".roocode/{name}", "model: evil/x\n")


def test_a_file_that_is_put_there_after_the_look_does_not_count(places: Places, env: dict[str, str]) -> None:
    places.config("project").write_text("model: a/b\nteam: {verify: make}\n")
    trust_now(places)
    stand = standing(places)
    assert stand.whole

    places.config("project").write_text("model: evil/x\n")

    found = read_settings(places, env, (), stand)
    assert [(each.dotted, each.ignored) for each in found] == [("model", UNTRUSTED)]


def test_a_project_whose_roocode_is_a_file_or_a_link_is_read_as_it_is(
    places: Places, tmp_path: Path, env: dict[str, str]
) -> None:
    (places.root / ".roocode").rmdir()
    (places.root / ".roocode").write_text("")
    assert effective_files(places.root) == {}
    assert not standing(places).whole

    (places.root / ".roocode").unlink()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config.yaml").write_text("model: a/b\n")
    (places.root / ".roocode").symlink_to(outside)
    assert read_settings(places, env, (), standing(places))[0].ignored == UNTRUSTED
    trust_now(places)
    assert standing(places).whole

    (outside / "config.yaml").write_text("model: evil/x\n")

    assert not standing(places).whole


def test_trust_is_of_the_directory_itself(places: Places, tmp_path: Path, env: dict[str, str]) -> None:
    """P5, P24: no worktree that points to it is trusted, nor where it was moved to; a link leads there."""
    places.config("project").write_text("model: a/b\n")
    trust_now(places)
    git_dir = places.root / ".git" / "worktrees" / "w"
    git_dir.mkdir(parents=True)
    (git_dir / "commondir").write_text("../..\n")
    worktree = tmp_path / "w"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {git_dir}\n")
    link = tmp_path / "link"
    link.symlink_to(places.root)

    assert not standing(find_places(worktree, env)).whole
    assert standing(find_places(link, env)).whole
    (places.root / "src").mkdir()
    assert standing(find_places(places.root / "src", env)).whole
    moved = places.root.rename(tmp_path / "moved")
    assert not standing(find_places(moved, env)).whole


@pytest.mark.parametrize("whole", ["/", "home"])
def test_trust_of_everything_is_trust_of_that_directory_alone(
    places: Places, env: dict[str, str], whole: str, tmp_path: Path
) -> None:
    above = Path("/") if whole == "/" else tmp_path / "home"
    trust(replace(places, root=above), {})
    below = tmp_path / "home" / "code"
    below.mkdir(exist_ok=True)

    assert not standing(find_places(below, env)).whole
    assert not standing(places).whole


@pytest.mark.parametrize(
    ("mode", "folder", "said"),
    [
        (0o666, 0o700, "everybody may write it"),
        (0o600, 0o777, "everybody may write "),
    ],
)
def test_a_record_that_others_could_write_is_an_error(
    places: Places, mode: int, folder: int, said: str
) -> None:
    """P27"""
    trust_now(places)
    places.trust.chmod(mode)
    places.home.chmod(folder)
    try:
        with pytest.raises(HostError, match=said):
            standing(places)
    finally:
        places.home.chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_record_of_another_user_is_an_error(places: Places) -> None:
    trust_now(places)
    os.chown(places.trust, 12345, 12345)

    with pytest.raises(HostError, match="belongs to user 12345"):
        standing(places)
