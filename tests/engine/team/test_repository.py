"""Which repositories a team starts in, and what it says of those it refuses."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from roocode.engine.team.repository import exclude, free_name, inspect, locate, require_free
from roocode.protocol.errors import UserError
from tests.gitrepo import Repo, environment


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


@pytest.mark.asyncio
async def test_a_plain_repository(repo: Repo) -> None:
    repo.write(**{"a.txt": "changed\n", "new.txt": ""})
    found = await inspect(repo.root, environ=repo.env)
    assert (found.main_root, found.checkout, found.common_dir) == (repo.root, repo.root, repo.root / ".git")
    assert (found.base_branch, found.base_commit, found.dirty) == ("main", repo.head(), 2)
    lines = found.describe(found.base_time + 3 * 86400 + 5)
    assert lines[0] == f"Base: main at {repo.head()[:12]}, 3 days old."
    assert lines[1] == f"The team does not see 2 uncommitted files in {repo.root}."


@pytest.mark.asyncio
async def test_from_a_folder_and_from_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    folder = repo.root / "sub" / "deep"
    folder.mkdir(parents=True)
    assert (await locate(folder, repo.env)).main_root == repo.root
    linked = (tmp_path / "linked").resolve()
    repo.git("worktree", "add", "-q", "-b", "feature", str(linked))
    (linked / "in").mkdir()
    found = await inspect(linked / "in", environ=repo.env)
    assert (found.main_root, found.checkout, found.base_branch) == (repo.root, linked, "feature")
    assert found.git.cwd == repo.root


@pytest.mark.asyncio
async def test_another_base(repo: Repo) -> None:
    first = repo.head()
    repo.git("branch", "older")
    repo.git("tag", "v1")
    repo.commit("newer", **{"a.txt": "2\n"})
    for base, branch in (("older", "older"), ("v1", None), (first[:10], None), ("HEAD~1", None)):
        found = await inspect(repo.root, base=base, environ=repo.env)
        assert (found.base_branch, found.base_commit) == (branch, first)
    for bad in ("nothing", "--output=x", "main:a.txt"):
        with pytest.raises(UserError, match=f"no commit {bad}"):
            await inspect(repo.root, base=bad, environ=repo.env)


@pytest.mark.asyncio
async def test_a_detached_head(repo: Repo) -> None:
    repo.git("switch", "-q", "--detach")
    found = await inspect(repo.root, environ=repo.env)
    assert (found.base_branch, found.base_commit) == (None, repo.head())
    assert found.describe(found.base_time)[0].startswith("Base: a detached HEAD at")


@pytest.mark.asyncio
async def test_no_repository(tmp_path: Path) -> None:
    env = environment(tmp_path)
    (tmp_path / "plain").mkdir()
    error = await refused(tmp_path / "plain", env, "not in a git repository")
    assert "git init" in error.mend
    assert list((tmp_path / "plain").iterdir()) == []


@pytest.mark.asyncio
async def test_bare_repositories(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
    await refused(bare, repo.env, "bare")
    await refused(repo.root / ".git", repo.env, "bare repository or a .git directory")
    repo.git("worktree", "add", "-q", str(tmp_path / "w"), cwd=bare)
    await refused(tmp_path / "w", repo.env, "is bare")
    repo.git("config", "core.bare", "true")
    await refused(repo.root, repo.env, "bare")


@pytest.mark.asyncio
async def test_no_commit_yet(tmp_path: Path) -> None:
    env = environment(tmp_path)
    repo = Repo(tmp_path / "r", env)
    repo.root.mkdir()
    repo.git("init", "-q")
    error = await refused(repo.root, env, "no commit here yet")
    assert "git commit" in error.mend


@pytest.mark.asyncio
@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick", "revert"])
async def test_an_operation_under_way(repo: Repo, command: str) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", **{"a.txt": "side\n"})
    repo.git("switch", "-q", "main")
    repo.commit("main", **{"a.txt": "main\n"})
    repo.commit("more", **{"a.txt": "more\n"})
    target = ["--no-edit", "HEAD~1"] if command == "revert" else ["side"]
    repo.git(command, *target, ok=(1,))
    before = repo.status()
    error = await refused(repo.root, repo.env, f"a {command} is in progress")
    assert f"git {command} --abort" in error.mend
    assert repo.status() == before


@pytest.mark.asyncio
async def test_no_identity(repo: Repo) -> None:
    (Path(repo.env["HOME"]) / ".gitconfig").write_text("")
    error = await refused(repo.root, repo.env, "does not know who commits")
    assert "git config --global user.name" in error.mend


@pytest.mark.asyncio
async def test_git_too_old(repo: Repo, tmp_path: Path) -> None:
    real = shutil.which("git", path=repo.env["PATH"])
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "git version 2.37.1" || exec {real} "$@"\n')
    old.chmod(0o755)
    env = repo.env | {"PATH": f"{old.parent}{os.pathsep}{repo.env['PATH']}"}
    error = await refused(repo.root, env, "git version 2.37.1 is too old")
    assert "2.38" in error.mend


@pytest.mark.asyncio
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a repository to somebody else")
async def test_a_repository_of_somebody_else(repo: Repo) -> None:
    for path in (repo.root, repo.root / ".git"):
        os.chown(path, 12345, 12345)
    repo.git("config", "--file", str(repo.root / ".git" / "config"), "safe.directory", "*")
    error = await refused(repo.root, repo.env, "belongs to somebody else")
    assert f"safe.directory {repo.root}" in error.mend
    repo.git("config", "--global", "safe.directory", str(repo.root))
    found = await inspect(repo.root, environ=repo.env)
    assert found.main_root == repo.root
    path = await repo.member("alice")
    assert (await found.git.at(path)("status", "--porcelain")).out == ""


@pytest.mark.asyncio
async def test_a_checkout_that_is_set_to_be_elsewhere(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "home" / ".bashrc").write_text("mine")
    for elsewhere in (tmp_path.resolve(), tmp_path / "home"):
        repo.git("config", "--file", str(repo.root / ".git" / "config"), "core.worktree", str(elsewhere))
        with pytest.raises(UserError):
            await inspect(repo.root, environ=repo.env)


@pytest.mark.asyncio
async def test_submodules_and_filters_are_told(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()
    inner = Repo.create(tmp_path / "i")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "lib/sub")
    repo.commit("sub", **{".gitattributes": "*.bin filter=lfs\n"})
    found = await inspect(repo.root, environ=repo.env)
    assert found.submodules == ("lib/sub",)
    assert any("lib/sub" in line for line in found.describe(0))
    assert any("git-lfs" in line for line in found.describe(0))
    assert (await inspect(repo.root / "lib" / "sub", environ=repo.env)).main_root == repo.root / "lib" / "sub"


@pytest.mark.asyncio
async def test_free_names(repo: Repo) -> None:
    place = await repo.locate()
    assert await free_name(place, "Fix it") == "fix-it"
    (repo.root / ".roocode" / "teams" / "Fix-it").mkdir(parents=True)
    (repo.root / ".roocode" / "worktrees" / "fix-it-2").mkdir(parents=True)
    repo.git("branch", "roocode-team/fix-it-3")
    repo.git("branch", "worktree-team-FIX-IT-4+alice")
    assert await free_name(place, "Fix it") == "fix-it-5"
    for taken in ("fix-it", "fix-it-2", "fix-it-3", "fix-it-4"):
        with pytest.raises(UserError, match="is taken") as error:
            await require_free(place, taken)
        assert error.value.exit_code == 42
    with pytest.raises(UserError, match="cannot name a team"):
        await require_free(place, "../x")
    await require_free(place, "fix-it-5")


@pytest.mark.asyncio
async def test_our_files_are_excluded_once(repo: Repo) -> None:
    path = repo.root / ".git" / "info" / "exclude"
    path.write_bytes(b"*.orig\n# caf\xe9")
    for _ in range(2):
        exclude(repo.root / ".git")
    assert path.read_bytes() == (
        b"*.orig\n# caf\xe9\n.roocode/teams/\n.roocode/worktrees/\n.roocode/config.local.yaml\n"
        b".roocode-*.tmp\n"
    )
    repo.write(
        **{
            ".roocode/teams/t/team.json": "",
            ".roocode/config.local.yaml": "",
            ".roocode/config.yaml": "",
            "src/.roocode-0123456789abcdef.tmp": "",
        }
    )
    assert repo.status() == "?? .roocode/"
    assert repo.git("ls-files", "--others", "--exclude-standard") == ".roocode/config.yaml"
    assert [p.name for p in path.parent.iterdir()] == ["exclude"]


def test_exclude_makes_the_file_and_follows_no_link(tmp_path: Path) -> None:
    exclude(tmp_path)
    assert (tmp_path / "info" / "exclude").read_text().startswith(".roocode/teams/\n")
    (tmp_path / "info" / "exclude").unlink()
    (tmp_path / "bashrc").write_text("mine\n")
    (tmp_path / "info" / "exclude").symlink_to(tmp_path / "bashrc")
    with pytest.raises(UserError, match="symbolic link") as error:
        exclude(tmp_path)
    assert ".roocode/teams/" in error.value.mend
    assert (tmp_path / "bashrc").read_text() == "mine\n"


async def refused(cwd: Path, env: dict[str, str], said: str) -> UserError:
    with pytest.raises(UserError, match=said) as error:
        await inspect(cwd, environ=env)
    assert error.value.exit_code == 42
    assert error.value.mend
    return error.value
