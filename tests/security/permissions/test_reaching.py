"""Ways of a shell line to what is never touched, beyond naming it as a target."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES, Mode
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.policy import Policy


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two linked worktrees, where the agents of a team work."""
    top = tmp_path_factory.mktemp("team").resolve()
    main = top / "main"
    main.mkdir()
    (top / "home").mkdir()
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", ".roocode/worktrees/ann"],
        ["worktree", "add", "-q", ".roocode/worktrees/bob"],
    ):
        subprocess.run(["git", *identity, *arguments], cwd=main, check=True, capture_output=True)
    (main / ".roocode/worktrees/ann/src").mkdir()
    return top


def _judged(top: Path, command: str, mode: Mode = "bypassPermissions") -> tuple[str, str]:
    workspace = Workspace(top / "main/.roocode/worktrees/ann")
    answer = check("Bash", {"command": command}, Policy(top / "home", mode), workspace)
    return answer["decision"], answer["layer"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "command",
    [
        "ln -s .git store",
        "ln -s ../.git src/store",
        "ln -sf ../../../../.git/hooks src/hooks",
        "ln .git pointer",
        "ln -sr .git src/store",
        "ln --sym ../.git src/store",
        "ln -s ../../../../.git/config -t src",
        "link .git pointer",
        "/bin/ln -s .git store",
        "git -C ../bob commit -am x",
        "git -C ../../.. checkout -b x",
        "git --git-dir=../bob/.git --work-tree=../bob commit -am x",
        "git --work-tree ../bob checkout .",
        "cd ../bob && make",
        "cd ../bob && git commit -am x",
        "cd ../../.. && npm install",
        "git worktree add .git",
        "git worktree add -b topic sub/.GIT",
        "git worktree move ../x sub/.git",
        "git init sub/.git",
        "git clone https://x.example/y.git sub/.git",
        "git worktree add .roocode/worktrees/eve",
        "echo x > ../bob/a",
        "cp a ../../../a",
    ],
)
def test_a_teammate_reaches_neither_git_nor_another_tree(top: Path, command: str, mode: Mode) -> None:
    assert _judged(top, command, mode) == ("deny", "sandbox")


@pytest.mark.parametrize(
    "command",
    [
        "git commit -am x",
        "git -C src add .",
        "git clone https://x.example/y.git",
        "git init new",
        "cd src && make",
        "ln -s src/a link",
        "ln -s ../a src/link",
    ],
)
def test_its_own_tree_is_open(top: Path, command: str) -> None:
    assert _judged(top, command)[0] == "allow"


@pytest.mark.parametrize("command", ["git -C ../bob log", "cat ../bob/a", "cd ../bob && git status"])
def test_reading_beside_it_is_asked_about(top: Path, command: str) -> None:
    assert _judged(top, command, "default") == ("ask", "mode")
