"""P1 to P7: where a call may reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES
from roocode.protocol.tools import Workspace
from roocode.security.permissions.paths import pinned
from roocode.security.sandbox.files import PathRefused, SafeFiles
from tests.gitrepo import Repo
from tests.security.properties.conftest import Scene


def test_p01_inside_means_below_the_real_root_and_a_working_directory_is_data(scene: Scene) -> None:
    assert scene.says("ReadFile", path=f"{scene.root}/README.md") == "allow"
    assert scene.says("ReadFile", path=f"{scene.root}2/secret.txt") == "deny"
    assert scene.says("WriteFile", path="secret.txt", cwd=str(scene.top / "outside")) == "deny"
    (scene.top / "door").symlink_to(scene.root)
    assert scene.says("ReadFile", path=str(scene.top / "door" / "README.md")) == "allow"


def test_p02_a_link_that_appears_after_the_check_is_not_followed(scene: Scene) -> None:
    files = SafeFiles(pinned(Workspace(scene.root)), scene.top / "home")
    place = files.resolve("src/new.txt", to_write=True)
    os.rename(scene.root / "src", scene.root / "moved")
    (scene.root / "src").symlink_to(scene.top / "outside")
    with pytest.raises(PathRefused):
        files.write(place, b"escaped")
    assert os.listdir(scene.top / "outside") == ["secret.txt"]


@pytest.mark.parametrize("spelled", ["link.txt", "real.txt"])
def test_p03_a_deny_matches_the_spelled_path_or_its_target(scene: Scene, spelled: str) -> None:
    scene.write(scene.root / "real.txt", "x\n")
    (scene.root / "link.txt").symlink_to("real.txt")
    scene.add("deny", f"Read({spelled})")
    assert scene.says("ReadFile", path="link.txt") == "deny"
    assert scene.bash("cat link.txt") == "deny"
    assert scene.says("Grep", pattern="x", path="link.txt") == "deny"


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".g\u200bit/config",
        ".git./config",
        ".git /config",
        "deep/down/.git/hooks/post-merge",
        ".roocode/config.yaml",
        ".RooCode/config.local.yaml",
        ".mcp.json",
        ".MCP.json",
    ],
)
def test_p04_protected_names_hold_in_every_spelling_and_before_they_exist(scene: Scene, path: str) -> None:
    for mode in MODES:
        assert scene.says("WriteFile", mode, path=path, content="x") == "deny"
        assert scene.bash(f"echo x > '{path}'", mode) == "deny"


def test_p05_what_a_worktree_points_to_is_protected(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    worktree = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(worktree), "-b", "side")
    repo.git("config", "core.hooksPath", str(tmp_path / "githooks"))
    scene = Scene(tmp_path / "elsewhere")
    scene.root = worktree
    files = (
        repo.root / ".git" / "config",
        repo.root / ".git" / "worktrees" / "linked" / "commondir",
        tmp_path / "githooks" / "pre-commit",
        worktree / ".git",
        repo.root / "a.txt",
    )
    for file in files:
        assert scene.says("WriteFile", "bypassPermissions", path=str(file), content="x") == "deny"
        assert scene.bash(f"echo x > '{file}'", "bypassPermissions") == "deny"


def test_p06_a_change_of_directory_is_followed_along_the_line(scene: Scene) -> None:
    (scene.root / ".git" / "hooks").mkdir()
    assert scene.bash("cd .git/hooks && echo x > pre-commit", "bypassPermissions") == "deny"
    assert scene.bash("pushd .git; echo x > config", "bypassPermissions") == "deny"
    assert scene.bash("cd src && cat a.py") == "allow"
    assert scene.bash('cd "$ELSEWHERE" && cat a.py') == "ask"


def test_p07_no_allow_of_one_layer_answers_before_the_others(scene: Scene) -> None:
    scene.add("allow", "Bash", "session")
    scene.add("allow", "Write", "session")
    assert scene.bash("rm -rf /") == "deny"
    assert scene.says("WriteFile", path=".git/config", content="x") == "deny"
    assert scene.says("WriteFile", path="/etc/passwd", content="x") == "deny"
    scene.add("deny", "Bash(make *)", "project")
    assert scene.bash("make clean") == "deny"
