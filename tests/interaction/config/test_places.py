"""Where configuration lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.config.places import Places, find_places
from roocode.protocol.errors import UserError


def test_the_project_is_the_nearest_directory_with_git(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)

    assert find_places(deep, {"HOME": "/h"}).root == tmp_path.resolve()


def test_a_linked_worktree_is_its_own_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: ../.git/worktrees/linked\n")

    assert find_places(linked, {"HOME": "/h"}).root == linked.resolve()


def test_without_git_the_project_is_the_directory_itself(tmp_path: Path) -> None:
    assert find_places(tmp_path, {"HOME": "/h"}).root == tmp_path.resolve()


def test_roocode_home_moves_ours_and_not_the_persons(tmp_path: Path) -> None:
    places = find_places(tmp_path, {"HOME": "/h", "ROOCODE_HOME": str(tmp_path / "own")})

    assert places.config("user") == tmp_path / "own" / "config.yaml"
    assert places.person == Path("/h")


def test_paths_are_shown_as_people_write_them() -> None:
    places = Places(home=Path("/h/.roocode"), root=Path("/h/src/p"), person=Path("/h"))

    assert places.shown(places.config("user")) == "~/.roocode/config.yaml"
    assert places.shown(places.config("local")) == ".roocode/config.local.yaml"
    assert places.shown(Path("/etc/x")) == "/etc/x"


def test_a_home_that_depends_on_the_directory_is_refused(tmp_path: Path) -> None:
    """P26"""
    for relative in (".roocode", "evil/home", "./x"):
        with pytest.raises(UserError, match="ROOCODE_HOME"):
            find_places(tmp_path, {"HOME": "/h", "ROOCODE_HOME": relative})
