from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.protocol.tools import Workspace
from roocode.security.permissions.paths import Grounds, grounds, judge_read, judge_write, pinned, place


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for directory in ("proj/src", "proj/.git", "home/.roocode/plans", "scratch", "spills", "extra"):
        (top / directory).mkdir(parents=True)
    return top


@pytest.fixture
def ground(top: Path) -> Grounds:
    workspace = Workspace(
        top / "proj", extra=(top / "extra",), scratch=top / "scratch", open_paths=(top / "spills",)
    )
    return grounds(pinned(workspace), top / "home", top / "home/.roocode/plans/p.md")


def _write(path: str, ground: Grounds) -> str:
    return judge_write(place(path, None, ground), ground).standing


def _read(path: str, ground: Grounds) -> str:
    return judge_read(place(path, None, ground), ground).standing


def test_the_agents_own_files_are_open_wherever_they_lie(top: Path, ground: Grounds) -> None:
    assert _write(f"{top}/scratch/x", ground) == "own"
    assert _write(f"{top}/home/.roocode/plans/p.md", ground) == "own"
    assert _read(f"{top}/spills/1.txt", ground) == "own"
    assert _write(f"{top}/spills/1.txt", ground) == "outside"
    assert _write(f"{top}/home/.roocode/plans/other.md", ground) == "denied"
    assert _read(f"{top}/home/.roocode/plans/other.md", ground) == "outside"


def test_a_teammates_worktree_is_open_to_it_and_closed_to_others(top: Path) -> None:
    worktree = top / "proj/.roocode/worktrees/team/bob"
    for name in ("bob", "eve"):
        (worktree.parent / name / "src").mkdir(parents=True)
    own = grounds(Workspace(worktree), top / "home")
    lead = grounds(Workspace(top / "proj"), top / "home")

    assert _write("src/a.py", own) == "inside"
    assert _write(".git", own) == "denied"
    assert _write(".roocode/config.yaml", own) == "denied"
    assert _write("../eve/src/a.py", own) == "denied"
    assert _write(f"{top}/proj/.roocode/teams/team/team.json", own) == "denied"
    assert _write(str(worktree / "src/a.py"), lead) == "denied"


def test_another_checkout_of_the_repository_is_never_written(top: Path) -> None:
    main, linked = top / "proj", top / "proj/wt"
    (main / ".git/worktrees/wt").mkdir(parents=True)
    (main / ".git/worktrees/wt/gitdir").write_text(f"{linked}/.git\n")
    (main / ".git/worktrees/wt/commondir").write_text("../..\n")
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/wt\n")

    at_main, at_linked = grounds(Workspace(main), top / "home"), grounds(Workspace(linked), top / "home")
    chosen = grounds(Workspace(main, extra=(linked,)), top / "home")

    assert _write("wt/a.py", at_main) == "denied"
    assert _write("src/a.py", at_main) == "inside"
    assert _write("a.py", at_linked) == "inside"
    assert _write("../src/a.py", at_linked) == "denied"
    assert _write("wt/a.py", chosen) == "inside"


def test_a_session_below_the_top_of_a_repository_is_in_its_own_checkout(top: Path) -> None:
    (top / "proj/.git/HEAD").write_text("ref: refs/heads/main\n")
    below = grounds(Workspace(top / "proj/src"), top / "home")

    assert _write("a.py", below) == "inside"
    assert _write("../README.md", below) == "outside"
    assert _write("../.git/config", below) == "denied"


def test_the_hooks_directory_is_protected_by_what_git_would_run(top: Path, ground: Grounds) -> None:
    (top / "proj/.git/config").write_text('[core]\n\thooksPath = "tools/hooks"\n')

    assert _write("tools/hooks/pre-commit", ground) == "denied"
    assert _write("tools/other.sh", ground) == "inside"


def test_where_a_protected_link_leads_is_protected(top: Path, ground: Grounds) -> None:
    (top / "proj/sub/store").mkdir(parents=True)
    (top / "proj/sub/.git").symlink_to("store")

    assert _write("sub/store/config", ground) == "denied"
    assert _write("sub/.git/config", ground) == "denied"


def test_a_link_that_passes_through_a_protected_name_is_protected(top: Path, ground: Grounds) -> None:
    (top / "proj/.git/out").symlink_to(top / "proj/src")
    (top / "proj/easy").symlink_to(".git/out/x")

    assert _write("easy", ground) == "denied"


def test_a_home_of_roocode_elsewhere_is_protected(top: Path) -> None:
    state = top / "state"
    ground = grounds(Workspace(top), top / "home", state / "plans/p.md", (state,))

    assert _write("state/config.yaml", ground) == "denied"
    assert _write("state/plans/p.md", ground) == "own"
    assert _write("other/config.yaml", ground) == "inside"


def test_devices_pipes_and_sockets_are_unusable(top: Path, ground: Grounds) -> None:
    os.mkfifo(top / "proj/pipe")

    assert _read("pipe", ground) == "unusable"
    assert _write("/dev/sda", ground) in ("unusable", "outside")
    assert _read("/dev/null", ground) == "unusable"


def test_shell_files_of_the_home_directory_are_asked_about_in_every_mode(top: Path, ground: Grounds) -> None:
    assert _write("~/.bashrc", ground) == "asked"
    assert _write("~/notes.txt", ground) == "outside"


def test_the_root_is_pinned(top: Path) -> None:
    link = top / "link"
    link.symlink_to(top / "proj")
    ground = grounds(pinned(Workspace(link)), top / "home")
    link.unlink()
    link.symlink_to(top / "extra")

    assert _read("src/a.py", ground) == "inside"
    assert _read(f"{link}/data.txt", ground) == "outside"
