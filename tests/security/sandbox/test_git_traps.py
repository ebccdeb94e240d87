"""A hostile repository runs nothing through our git, and would through a plain one."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.errors import HostError
from roocode.security.sandbox.git import Git
from roocode.security.sandbox.git_pins import neutral, reads_content
from roocode.security.sandbox.git_status import read_status
from tests.gitrepo import Repo, environment
from tests.traps import sprung, trapped


def test_the_traps_work(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    failing = (0, 1, 2, 128)
    repo.write(**{"a.txt": "changed\n", "process.dat": "changed\n"})
    repo.git("add", "a.txt", "process.dat", ok=failing)
    repo.git("diff", "HEAD", ok=failing)
    repo.git("-c", "diff.evil.command=", "log", "-p", ok=failing)
    repo.git("commit", "-m", "x", ok=failing)
    repo.git("-c", "commit.gpgSign=false", "commit", "-m", "x", ok=failing)
    repo.git("-c", "core.hooksPath=/dev/null", "worktree", "add", str(tmp_path / "w"), "HEAD", ok=failing)
    assert {
        "fsmonitor",
        "clean",
        "smudge",
        "process",
        "diff-command",
        "textconv",
        "gpg",
        "hook-pre-commit",
        "hook-reference-transaction",
    } <= sprung(repo)


@pytest.mark.asyncio
async def test_our_git_springs_none(tmp_path: Path) -> None:
    """P25"""
    repo = trapped(tmp_path)
    assert sprung(repo) == set()
    git = (await Git.open(repo.root, repo.env)).at(repo.root)
    worktree = tmp_path / "w"
    await git("worktree", "add", "-b", "side", str(worktree), "main")
    side = git.at(worktree)
    for place, text in ((git, "ours\ntwo\nthree\n"), (side, "one\ntwo\ntheirs\n")):
        (place.cwd / "a.txt").write_text(text)
        (place.cwd / "process.dat").write_text(text)
        await place("add", "--all")
        await place("commit", "-m", "change")
        assert (await read_status(place)).clean
    for command in (("diff", "main", "side"), ("log", "-p", "--oneline", "side"), ("show", "side")):
        assert "theirs" in (await git(*command)).out
    await git("merge-tree", "--write-tree", "main", "side", ok=(0, 1))
    merged = await git("merge", "--no-ff", "-s", "ort", "-m", "merge", "side", ok=(1,))
    assert "CONFLICT" in merged.out
    assert (git.cwd / "a.txt").read_text() == "ours\ntwo\ntheirs\n"
    await git("merge", "--abort")
    await git("worktree", "remove", "--force", str(worktree))
    await git("update-ref", "-d", "refs/heads/side")
    assert sprung(repo) == set()


@pytest.mark.asyncio
async def test_nothing_is_fetched_for_a_partial_clone(tmp_path: Path) -> None:
    origin = Repo.create(tmp_path)
    origin.git("config", "uploadpack.allowFilter", "true")
    (tmp_path / "clone").mkdir()
    clone = Repo(tmp_path / "clone" / "c", environment(tmp_path / "clone"))
    origin.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin.root}", str(clone.root))
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{tmp_path}/sprung"\n')
    trap.chmod(0o755)
    clone.git("config", "remote.origin.uploadpack", str(trap))
    clone.git("config", "protocol.allow", "always")
    git = await clone.open()
    with pytest.raises(HostError, match="transport 'file' not allowed"):
        await git("show", "HEAD:a.txt")
    assert not (tmp_path / "sprung").exists()
    clone.git("show", "HEAD:a.txt", ok=(128,))
    assert (tmp_path / "sprung").exists()


@pytest.mark.asyncio
async def test_a_submodule_runs_nothing(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (tmp_path / "inner").mkdir()
    inner = Repo.create(tmp_path / "inner")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.git("commit", "-qm", "sub")
    for key in ("core.fsmonitor", "filter.f.clean"):
        repo.git("config", key, f"touch '{tmp_path}/sprung'; false", cwd=repo.root / "sub")
    repo.write(cwd=repo.root / "sub", **{".gitattributes": "* filter=f\n", "a.txt": "new\n"})
    git = await repo.open()
    assert (await read_status(git)).clean
    await git("diff", "HEAD")
    await git("show", "--stat", "HEAD")
    await git("read-tree", "--reset", "-u", "HEAD")
    await git("worktree", "add", "-b", "side", str(tmp_path / "w"))
    repo.write(cwd=tmp_path / "w", **{"a.txt": "new\n"})
    await git.at(tmp_path / "w")("add", "a.txt")
    await git.at(tmp_path / "w")("commit", "-m", "side")
    await git("merge", "--no-ff", "-s", "ort", "-m", "merge", "side")
    assert not (tmp_path / "sprung").exists()
    repo.git("diff", "HEAD")
    assert (tmp_path / "sprung").exists()


def test_drivers_are_made_inert_by_name() -> None:
    keys = ("filter.a.b=c.process", "merge.m.driver", "branch.x.mergeoptions", "hook.h.command")
    assert dict(neutral(keys, "/opt/my git/git")) == {
        "filter.a.b=c.clean": "",
        "filter.a.b=c.smudge": "",
        "filter.a.b=c.process": "",
        "filter.a.b=c.required": "false",
        "merge.m.driver": "'/opt/my git/git' merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B",
        "branch.x.mergeoptions": "",
        "hook.h.enabled": "false",
    }


@pytest.mark.asyncio
async def test_commands_that_are_taken_for_inert_are(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    git = (await Git.open(repo.root, repo.env)).at(repo.root)
    repo.write(**{"a.txt": "1\n", "process.dat": "2\n"})
    commands: tuple[tuple[str, ...], ...] = (
        ("cat-file", "commit", "HEAD"),
        ("check-attr", "filter", "a.txt"),
        ("commit-tree", "HEAD^{tree}", "-m", "x"),
        ("config", "--list"),
        ("for-each-ref",),
        ("merge-base", "HEAD", "main"),
        ("rev-list", "HEAD"),
        ("rev-parse", "HEAD"),
        ("version",),
    )
    assert not any(reads_content(command[0]) for command in commands)
    for command in commands:
        await git(*command)
    assert sprung(repo) == set()
