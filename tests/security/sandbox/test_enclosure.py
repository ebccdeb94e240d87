"""What a command may see and write, as the disk says it: no bubblewrap is needed to look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roocode.security.sandbox.bubblewrap import Enclosure, Kind, ordered
from roocode.security.sandbox.enclosure import Premises, Surveyor
from tests.gitrepo import Repo
from tests.security.sandbox.boxes import premises_of


def kinds(enclosure: Enclosure, below: Path) -> dict[str, Kind]:
    """How the paths below a directory are mounted, by their name there."""
    return {
        str(Path(mount.path).relative_to(below)): mount.kind
        for mount in ordered(enclosure.mounts)
        if Path(mount.path).is_relative_to(below)
    }


def drawn(premises: Premises, *, granted: bool = False) -> Enclosure:
    return Surveyor(premises).draw(premises.roots[0], None, granted=granted)


def test_a_main_checkout_may_commit_and_not_set_traps(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.git("worktree", "add", "-q", str(tmp_path / "beside"))
    (repo.root / ".mcp.json").write_text("{}")
    (repo.root / ".roocode").mkdir()
    found = kinds(drawn(premises_of(repo.root)), repo.root)
    assert found["."] == found[".git"] == "writable"
    for name in (".git/hooks", ".git/config", ".git/worktrees/beside", ".mcp.json", ".roocode"):
        assert found[name] == "read-only"


def test_a_linked_worktree_writes_the_common_directory_and_its_own_alone(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    for name in ("ann", "bob"):
        repo.git("worktree", "add", "-q", str(repo.root / ".roocode/worktrees" / name))
    ann = repo.root / ".roocode/worktrees/ann"
    found = kinds(drawn(premises_of(ann)), repo.root)
    assert found[".git"] == found[".git/worktrees/ann"] == found[".roocode/worktrees/ann"] == "writable"
    for name in (".git/hooks", ".git/config", ".git/HEAD", ".git/index", ".git/worktrees"):
        assert found[name] == "read-only"
    assert found[".git/worktrees/ann/commondir"] == found[".git/worktrees/ann/gitdir"] == "read-only"
    assert found[".roocode/worktrees/ann/.git"] == "read-only"
    assert found.get(".", "seen") == "seen"
    assert found.get(".roocode/worktrees/bob", "seen") == "seen"


def test_a_root_below_what_is_protected_stays_writable(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.git("worktree", "add", "-q", str(repo.root / ".roocode/worktrees/ann"))
    ann = repo.root / ".roocode/worktrees/ann"
    found = kinds(drawn(premises_of(ann, repo.root)), repo.root)
    assert found["."] == found[".roocode/worktrees/ann"] == "writable"
    assert found[".roocode"] == "read-only"


@pytest.mark.parametrize("target", ["{home}", "{home}/.git/worktrees/x", "../elsewhere", "{home}/.git"])
def test_a_pointer_that_nothing_points_back_to_opens_nothing(tmp_path: Path, target: str) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    for folder in (home / ".git/worktrees/x", home / ".git/objects", home / ".git/refs", root):
        folder.mkdir(parents=True)
    for name, text in (
        ("HEAD", "ref: x"),
        ("worktrees/x/commondir", "../.."),
        ("worktrees/x/gitdir", "/else"),
    ):
        (home / ".git" / name).write_text(text)
    (root / ".git").write_text(f"gitdir: {target.format(home=home)}\n")
    enclosure = drawn(premises_of(root, home=home))
    assert "writable" not in kinds(enclosure, home).values()
    assert kinds(enclosure, root)[".git"] == "read-only"


def test_repositories_that_the_root_holds_are_protected_too(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    repo = Repo.create(tmp_path / "in")
    root = tmp_path / "in"
    (repo.root / ".mcp.json").write_text("{}")
    found = kinds(drawn(premises_of(root)), repo.root)
    assert found["."] == found[".git"] == "writable"
    assert found[".git/hooks"] == found[".mcp.json"] == "read-only"


def test_submodules_keep_their_hooks_whatever_their_name(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    module = repo.root / ".git/modules/lib/deep"
    for folder in (module / "hooks", module / "objects"):
        folder.mkdir(parents=True)
    (module / "HEAD").write_text("ref: refs/heads/main")
    (module / "config").write_text("")
    found = kinds(drawn(premises_of(repo.root)), repo.root / ".git/modules")
    assert found["lib"] == found["lib/deep"] == "writable"
    assert found["lib/deep/hooks"] == found["lib/deep/config"] == "read-only"


def test_a_submodule_deep_in_the_tree_keeps_its_pointer(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (repo.root / "third/party/lib").mkdir(parents=True)
    (repo.root / "third/party/lib/.git").write_text("gitdir: ../../../.git/modules/lib\n")
    (repo.root / ".gitmodules").write_text('[submodule "lib"]\n\tpath = third/party/lib\n\tpath = ../x\n')
    found = kinds(drawn(premises_of(repo.root)), repo.root)
    assert found["third/party/lib/.git"] == "read-only"
    assert found["third"] == found["third/party"] == found["third/party/lib"] == "writable"


def test_missing_hooks_are_made_so_that_they_can_be_covered(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    for hook in (repo.root / ".git/hooks").iterdir():
        hook.unlink()
    (repo.root / ".git/hooks").rmdir()
    repo.git("config", "extensions.worktreeConfig", "true")
    found = kinds(drawn(premises_of(repo.root)), repo.root / ".git")
    assert found["hooks"] == found["config.worktree"] == "read-only"


def test_a_directory_that_came_later_is_never_bound_as_writable(tmp_path: Path) -> None:
    """It may be a link by the time that bubblewrap opens it."""
    root = tmp_path / "root"
    root.mkdir()
    surveyor = Surveyor(premises_of(root))
    surveyor.draw(root, None, granted=False)
    Repo.create(root)
    found = kinds(surveyor.draw(root, None, granted=False), root)
    assert [name for name, kind in found.items() if kind == "writable"] == ["."]
    assert found["my project/.git/hooks"] == "read-only"


def test_no_directory_on_the_way_to_a_writable_one_is_renamed_away(tmp_path: Path) -> None:
    """A mount is not: a link in the place of one would be opened by the next line's bubblewrap."""
    outer = tmp_path / "outer"
    (outer / "a/b/root").mkdir(parents=True)
    (outer / "c/d/tmp").mkdir(parents=True)
    premises = replace(premises_of(outer / "a/b/root", outer), temporary=outer / "c/d/tmp")
    found = kinds(drawn(premises), outer)
    for name in (".", "a", "a/b", "a/b/root", "c", "c/d", "c/d/tmp"):
        assert found[name] == "writable"


def test_protected_links_are_followed_and_none_is_bound_as_writable(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / "settings").mkdir()
    (root / ".roocode").symlink_to("settings")
    (root / ".git").symlink_to(other)
    enclosure = drawn(premises_of(root))
    assert kinds(enclosure, root)["settings"] == "read-only"
    assert "writable" not in kinds(enclosure, other).values()


def test_a_repository_behind_a_link_is_protected_too(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (repo.root / ".git").rename(repo.root / "data")
    (repo.root / ".git").symlink_to("data")
    found = kinds(drawn(premises_of(repo.root)), repo.root)
    assert found["data/hooks"] == found["data/config"] == "read-only"


def test_what_a_repository_says_of_its_worktrees_opens_nothing(tmp_path: Path) -> None:
    """A command can write it, and a socket in a directory that is shown can be connected to."""
    repo = Repo.create(tmp_path)
    (tmp_path / "sockets").mkdir()
    (repo.root / ".git/worktrees/x").mkdir(parents=True)
    (repo.root / ".git/worktrees/x/gitdir").write_text(f"{tmp_path}/sockets/.git\n")
    assert kinds(drawn(premises_of(repo.root)), tmp_path / "sockets") == {}


def test_credentials_are_hidden_until_a_grant_and_caches_open_with_it(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    for folder in (home / ".ssh", home / ".cache", home / ".config/gh", root):
        folder.mkdir(parents=True)
    (home / ".netrc").write_text("secret")
    (home / ".npmrc").write_text("secret")
    premises = premises_of(root, home=home)
    without, with_grant = kinds(drawn(premises), home), kinds(drawn(premises, granted=True), home)
    assert without[".ssh"] == without[".config/gh"] == "hidden"
    assert without[".netrc"] == without[".npmrc"] == "blank"
    assert ".cache" not in without
    assert with_grant[".cache"] == "writable"
    assert ".ssh" not in with_grant


def test_where_the_home_is_the_project_what_runs_at_login_is_not(tmp_path: Path) -> None:
    for folder in (".config", ".local/bin", ".cache", ".roocode"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".bashrc").write_text("")
    found = kinds(drawn(premises_of(tmp_path, home=tmp_path)), tmp_path)
    assert found["."] == "writable"
    for name in (".bashrc", ".config", ".local/bin", ".roocode"):
        assert found[name] == "read-only"


def test_what_appears_at_a_protected_name_is_told_and_a_spoof_removed(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    surveyor = Surveyor(premises_of(repo.root))
    surveyor.draw(repo.root, None, granted=False)
    assert surveyor.appeared() == ()
    (repo.root / ".git/commondir").write_text("../evil")
    (repo.root / ".mcp.json").write_text("{}")
    assert set(surveyor.appeared()) == {f"{repo.root}/.git/commondir", f"{repo.root}/.mcp.json"}
    assert not (repo.root / ".git/commondir").exists()
    assert (repo.root / ".mcp.json").exists()
    (repo.root / ".git/commondir").mkdir()
    surveyor.appeared()
    assert not (repo.root / ".git/commondir").exists()
