"""Our pinned git: what it carries on of the person's configuration, where it stops, what it never runs."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError, UserError
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_status import operation, parse_status, read_status
from roocode.security.sandbox.git_user import Identity
from roocode.security.sandbox.process import until
from tests.gitrepo import Repo


@pytest.mark.asyncio
async def test_results_and_failures(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    git = await repo.open()
    assert (await git("rev-parse", "HEAD")).line == repo.head()
    assert (await git("rev-parse", "--verify", "--quiet", "nothing", ok=(1,))).code == 1
    with pytest.raises(HostError, match=r"git rev-parse --verify nothing .* exit code 128: fatal"):
        await git("rev-parse", "--verify", "nothing")


@pytest.mark.asyncio
async def test_identity_of_the_user_survives_the_pins(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    git = await repo.open()
    commit = (await git("commit-tree", "HEAD^{tree}", "-m", "x")).line
    assert repo.git("show", "-s", "--format=%an %ae %cn %ce", commit) == (
        "Uma User uma@example.com Uma User uma@example.com"
    )


@pytest.mark.asyncio
async def test_identity_by_include_for_this_place(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    home = Path(repo.env["HOME"])
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[includeIf "gitdir:{tmp_path.resolve()}/"]\n\tpath = work.inc\n')
    (home / "work.inc").write_text("[user]\n\temail = uma@work.example\n")
    assert (await repo.open()).user.identity == Identity(
        "Uma User", "uma@work.example", "Uma User", "uma@work.example"
    )


@pytest.mark.asyncio
async def test_identity_precedence(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.git("config", "user.name", "Local")
    repo.git("config", "committer.name", "Robot")
    env = repo.env | {"GIT_AUTHOR_EMAIL": "env@example.com"}
    git = await Git.open(repo.root, env)
    assert git.user.identity == Identity("Local", "env@example.com", "Robot", "uma@example.com")


@pytest.mark.asyncio
async def test_no_identity(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (Path(repo.env["HOME"]) / ".gitconfig").write_text("[user]\n\tname = \n\temail = x@y\n")
    assert (await repo.open()).user.identity is None


@pytest.mark.asyncio
async def test_ignore_file_of_the_user_is_honoured(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    home = Path(repo.env["HOME"])
    with (home / ".gitconfig").open("a") as config:
        config.write("[core]\n\texcludesFile = ~/ignored\n")
    (home / "ignored").write_text("*.swp\n")
    repo.write(**{"x.swp": "", "y.txt": ""})
    assert (await read_status(await repo.open())).untracked == ("y.txt",)


@pytest.mark.asyncio
async def test_only_the_user_says_what_is_safe(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.git("config", "safe.directory", "*")
    assert (await Git.open(repo.root, repo.env)).user.safe_directories == ()
    repo.git("config", "--global", "safe.directory", str(repo.root))
    assert (await Git.open(repo.root, repo.env)).user.safe_directories == (str(repo.root),)


@pytest.mark.asyncio
async def test_broken_configuration_is_the_users(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (repo.root / ".git" / "config").write_text("[core\n")
    with pytest.raises(UserError, match=r"cannot read its configuration.*line 1"):
        await Git.open(repo.root, repo.env)


@pytest.mark.asyncio
async def test_environment_of_a_hook_is_not_inherited(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (tmp_path / "other").mkdir()
    env = repo.env | {"GIT_DIR": str(tmp_path / "other"), "GIT_INDEX_FILE": "nowhere", "GIT_PREFIX": "x"}
    git = await Git.open(repo.root, env)
    assert (await git("rev-parse", "--absolute-git-dir")).line == str(repo.root / ".git")


@pytest.mark.asyncio
async def test_rooted_git_never_uses_the_repository_above(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    inside = repo.root / "sub"
    inside.mkdir()
    git = await Git.open(inside, repo.env)
    assert (await git("rev-parse", "--show-prefix")).line == "sub/"
    with pytest.raises(HostError, match="not a git repository"):
        await git.at(inside)("rev-parse", "--show-prefix")
    inside.rmdir()
    with pytest.raises(HostError, match="is gone"):
        await git.at(inside)("rev-parse", "HEAD")


@pytest.mark.asyncio
async def test_git_is_never_taken_from_the_project(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    planted = repo.root / "nested" / "bin" / "git"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\nexit 99\n")
    planted.chmod(0o755)
    env = repo.env | {"PATH": os.pathsep.join([str(planted.parent), "nested/bin", repo.env["PATH"]])}
    git = await Git.open(repo.root / "nested", env)
    assert git.program != str(planted)
    with pytest.raises(HostError, match="there is no git"):
        await Git.open(repo.root / "nested", env | {"PATH": str(planted.parent)})


@pytest.mark.asyncio
async def test_cancel_ends_git(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    git = await repo.open()
    task = asyncio.create_task(git("hash-object", str(fifo)))
    assert await until(lambda: _running(str(fifo)), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _running(str(fifo))


def _running(word: str) -> bool:
    for process in Path("/proc").iterdir():
        try:
            if word.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


@pytest.mark.asyncio
async def test_status_of_odd_names(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path, **{"a b\nc": "1", "d": "1", "e": "1"})
    repo.write(**{"a b\nc": "2", "-x": "", "ü": ""})
    (repo.root / os.fsdecode(b"\xff")).write_text("")
    (repo.root / "e").unlink()
    repo.write(d="2")
    repo.git("add", "d")
    status = await read_status(await repo.open())
    assert {(c.path, c.staged, c.unstaged) for c in status.changes} == {
        ("a b\nc", ".", "M"),
        ("d", "M", "."),
        ("e", ".", "D"),
    }
    assert set(status.untracked) == {"-x", "ü", os.fsdecode(b"\xff")}
    assert (status.branch, status.head) == ("main", repo.head())


def test_status_before_the_first_commit_and_detached() -> None:
    assert parse_status("# branch.oid (initial)\0# branch.head main\0").head is None
    status = parse_status("# branch.oid abc\0# branch.head (detached)\0? new file\0")
    assert (status.head, status.branch, status.untracked) == ("abc", None, ("new file",))


@pytest.mark.asyncio
async def test_operations_are_seen(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    git = await repo.open()
    assert await operation(git) is None
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", **{"a.txt": "side\n"})
    repo.git("switch", "-q", "main")
    repo.commit("main", **{"a.txt": "main\n"})
    for command in ("merge", "rebase", "cherry-pick"):
        repo.git(command, "side", ok=(1,))
        assert await operation(git) == command
        repo.git(command, "--abort")
    repo.git("revert", "--no-edit", "HEAD~1", ok=(1,))
    assert await operation(git) == "revert"
