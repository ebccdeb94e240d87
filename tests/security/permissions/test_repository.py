from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from roocode.security.permissions.repository import around, bare_repository, redirected


def _git(directory: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


def _repository(top: Path) -> Path:
    main = top.resolve() / "main"
    main.mkdir()
    _git(main, "init", "-q")
    _git(main, "commit", "-q", "--allow-empty", "-m", "first")
    return main


def test_a_linked_worktree_knows_its_git_directories_and_the_other_checkouts(tmp_path: Path) -> None:
    main = _repository(tmp_path)
    _git(main, "worktree", "add", "-q", str(main / "wt"))

    found = around(main / "wt", tmp_path)

    assert found.top == str(main / "wt")
    assert {str(main / ".git"), str(main / ".git/worktrees/wt")} <= set(found.metadata)
    assert set(found.checkouts) == {str(main), str(main / "wt")}


def test_the_hooks_path_is_found_as_git_reads_it(tmp_path: Path) -> None:
    main = _repository(tmp_path)
    _git(main, "config", "core.hooksPath", "tools/hooks")

    assert str(main / "tools/hooks") in around(main / "src", tmp_path).metadata


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("no pointer\n")

    assert around(tmp_path, tmp_path).metadata == ()


def test_files_that_would_block_are_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("config", "commondir"):
        os.mkfifo(tmp_path / ".git" / name)

    assert around(tmp_path, tmp_path).top == str(tmp_path)


def test_git_reads_nothing_elsewhere_in_an_ordinary_repository_worktree_or_submodule(tmp_path: Path) -> None:
    main = _repository(tmp_path)
    _git(main, "worktree", "add", "-q", str(tmp_path / "wt"))
    other = _repository(tmp_path / "main")
    _git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    (main / "src").mkdir()

    for place in (main, main / "src", tmp_path.resolve() / "wt", main / "sub", tmp_path.resolve()):
        assert redirected(place, tmp_path) == (), place


@pytest.mark.parametrize("kind", ["file", "link", "commondir", "worktree", "worktree of another"])
def test_a_git_that_leads_to_somebody_elses_is_told(tmp_path: Path, kind: str) -> None:
    """P5"""
    secret = _repository(tmp_path)
    _git(secret, "worktree", "add", "-q", str(secret / "wt"))
    here = tmp_path.resolve() / "here"
    here.mkdir()
    elsewhere = str(secret / ".git")
    match kind:
        case "file":
            (here / ".git").write_text(f"gitdir: {secret}/.git\n")
        case "link":
            (here / ".git").symlink_to(secret / ".git")
        case "commondir":
            _git(here, "init", "-q")
            (here / ".git/commondir").write_text(f"{secret}/.git\n")
        case "worktree":
            _git(here, "init", "-q")
            _git(here, "config", "core.worktree", str(secret))
            elsewhere = str(secret)
        case "worktree of another":
            (here / ".git").write_text(f"gitdir: {secret}/.git/worktrees/wt\n")

    assert elsewhere in redirected(here, tmp_path)


def test_hook_directories_of_included_files_and_of_the_person(tmp_path: Path) -> None:
    main, home = _repository(tmp_path), tmp_path.resolve() / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[core]\n\thooksPath = from-home\n[include]\n\tpath = ~/more\n")
    (home / "more").write_text('[core]\n\thookspath = "from-include"\n[include]\n\tpath = more\n')
    _git(main, "config", "includeIf.onbranch:x.path", str(home / "more"))

    assert {str(main / "from-home"), str(main / "from-include")} <= set(around(main, home).metadata)


def test_what_git_takes_for_a_bare_repository_is_one(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    _git(top, "init", "-q", "--bare", "store")

    assert bare_repository(f"{top}/store/hooks/post-update", str(top)) == f"{top}/store"
    assert bare_repository(f"{top}/store/new/deep/file", str(top)) == f"{top}/store"
    assert bare_repository(f"{top}/store", str(top)) == ""
    assert bare_repository(f"{top}/store/config", f"{top}/elsewhere") == ""
    assert bare_repository("/", "/") == ""


def test_the_last_piece_of_a_bare_repository_makes_one(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    for name in ("objects", "refs"):
        (top / "store" / name).mkdir(parents=True)

    assert bare_repository(f"{top}/store/HEAD", str(top)) == f"{top}/store"
    assert bare_repository(f"{top}/store/config", str(top)) == ""
    assert bare_repository(f"{top}/other/HEAD", str(top)) == ""
