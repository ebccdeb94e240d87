"""Git that the model runs without a question obeys no repository; what a person allowed runs as for them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roocode.security.permissions.analysis import analyse
from tests.gitrepo import Repo
from tests.tools.conftest import Bench
from tests.traps import sprung, trapped

READING = (
    "git status",
    "git status --short --branch",
    "git status | head -5; git diff --stat",
    "git diff",
    "git diff HEAD --stat -p",
    "git diff --cached",
    "git diff --name-only HEAD~0",
    "git log -3",
    "git log -p --all",
    "git log --pretty=evil -2",
    "git show",
    "git whatchanged -1",
    "git show HEAD:a.txt",
    "git blame a.txt",
    "git grep one",
    "git ls-files -m",
    "git branch -a",
    "git tag -l",
    "git stash list",
    "git stash show -p",
    "git worktree list",
    "git submodule status",
    "git check-ignore -v a.txt",
    "git check-attr -a a.txt",
    "git cat-file -p HEAD",
    "git describe --always --dirty",
    "git shortlog -sn HEAD",
    "git reflog -3",
    "git rev-parse HEAD",
    "git rev-list HEAD",
    "git ls-tree HEAD",
    "git diff-files -p",
    "git diff-index -p HEAD",
    "git diff-tree -p HEAD",
    "git for-each-ref",
    "git show-ref",
    "git remote -v",
    "git fsck",
    "git count-objects -v",
    "git config --get core.pager",
    "git range-diff HEAD~0..HEAD HEAD~0..HEAD",
    "git -C . status",
    "cd . && git status && git --no-pager diff",
    "timeout 20 git status",
)


def plainly(line: str, repo: Repo) -> None:
    """Runs a line as the person would, without pins."""
    subprocess.run(
        ["bash", "-c", line], cwd=repo.root, env=repo.env, capture_output=True, timeout=60, check=False
    )


def is_safe(line: str, root: Path) -> bool:
    return analyse(line, cwd=str(root), home="/home/nobody", roots=(str(root),)).level == "safe"


@asynccontextmanager
async def at(root: Path, scratch: Path, path: str = "", pin_git: bool = False) -> AsyncIterator[Bench]:
    scratch.mkdir(exist_ok=True)
    bench = Bench(root, scratch, path=path, pin_git=pin_git)
    try:
        yield bench
    finally:
        await bench.shells.close()


def make_stale(repo: Repo) -> None:
    """Files that git must look into, since their times say nothing of their content."""
    for name in ("a.txt", "b.txt", "process.dat"):
        path = repo.root / name
        path.write_text(path.read_text() + "more\n")
        os.utime(path, (1, 1))


@pytest.mark.asyncio
async def test_no_reading_line_springs_a_trap(tmp_path: Path) -> None:
    """P25"""
    repo = trapped(tmp_path)
    async with at(repo.root, tmp_path / "scratch") as bench:
        for line in READING:
            assert is_safe(line, repo.root), line
            make_stale(repo)
            await bench.call("Bash", command=line)
            assert sprung(repo) == set(), line
        assert "+more" in await bench.text("Bash", command="git diff")
        assert "a.txt" in await bench.text("Bash", command="git status --short")


def test_the_same_lines_spring_them_otherwise(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    for line in READING:
        make_stale(repo)
        plainly(line, repo)
    expected = {
        "fsmonitor", "clean", "process", "diff-command", "textconv", "gpg",
        "hook-post-index-change",
    }  # fmt: skip
    assert expected <= sprung(repo)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "key", ["diff.x.textconv", "diff.x.command", "diff.external", "filter.x.clean", "filter.x.process"]
)
async def test_what_was_withheld_is_told_and_the_rest_is_shown(tmp_path: Path, key: str) -> None:
    attributes = "*.txt diff=x filter=x\n*.bin diff=x\n"
    repo = Repo.create(tmp_path, **{"a.txt": "one\n", "b.bin": "\0one", ".gitattributes": attributes})
    repo.git("config", key, f"touch '{tmp_path}/sprung'; false")
    repo.write(**{"a.txt": "two\n", "b.bin": "\0two"})
    async with at(repo.root, tmp_path / "scratch") as bench:
        said = await bench.text("Bash", command="git diff")
    assert "diff --git a/a.txt b/a.txt" in said
    assert "-one\n+two\n" in said
    assert "\0" not in said
    assert said.endswith(f"[git ran without the programs that this repository names: {key}]")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.asyncio
@pytest.mark.parametrize("line", ["git commit -qam x", "git status && git commit -qam x"])
async def test_a_commit_that_was_let_through_runs_the_hooks(tmp_path: Path, line: str) -> None:
    repo = Repo.create(tmp_path)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho checked by the hook\nexit 1\n")
    hook.chmod(0o755)
    repo.write(**{"a.txt": "two\n"})
    async with at(repo.root, tmp_path / "scratch") as bench:
        assert "checked by the hook" in await bench.error("Bash", command=line)


COMMIT = "git add -A && git -c color.ui=false status && git commit -m x"


@pytest.mark.asyncio
async def test_a_commit_that_nobody_was_asked_about_runs_none(tmp_path: Path) -> None:
    """P23: a teammate's, in a directory that is not trusted."""
    repo = trapped(tmp_path, filtered=False)
    make_stale(repo)
    async with at(repo.root, tmp_path / "scratch", pin_git=True) as bench:
        repo.git("config", "user.name", "a")
        repo.git("config", "user.email", "a@b")
        assert "3 files changed" in await bench.text("Bash", command=COMMIT)
    assert sprung(repo) == set()
    make_stale(repo)
    plainly(COMMIT, repo)
    assert "hook-pre-commit" in sprung(repo)


@pytest.mark.asyncio
async def test_no_file_is_stored_past_a_filter(tmp_path: Path) -> None:
    repo = trapped(tmp_path, filtered=True)
    make_stale(repo)
    head = repo.head()
    async with at(repo.root, tmp_path / "scratch", pin_git=True) as bench:
        said = await bench.error("Bash", command="git commit -am x")
        assert "git would store " in said
        assert "past the repository's own filters" in said
        assert "a.txt" in await bench.text("Bash", command="git status --short")
    assert sprung(repo) == set()
    assert repo.git("-c", "core.hooksPath=/dev/null", "rev-parse", "HEAD") == head


@pytest.mark.asyncio
async def test_a_line_beside_which_files_are_made_is_pinned_too(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    make_stale(repo)
    async with at(repo.root, tmp_path / "scratch") as bench:
        await bench.text("Bash", command="mkdir -p x && git status")
    assert sprung(repo) == set()


def nested(repo: Repo) -> str:
    inner = trapped(repo.root)
    return f"git -C '{inner.root.name}' status"


def embedded_bare(repo: Repo) -> str:
    trap = repo.root.parent / "bare-trap"
    trap.write_text(f'#!/bin/sh\necho bare >>"{repo.root.parent}/sprung"\n')
    trap.chmod(0o755)
    repo.git("init", "-q", "--bare", "fixture")
    repo.git("config", "core.bare", "false", cwd=repo.root / "fixture")
    repo.git("config", "core.worktree", ".", cwd=repo.root / "fixture")
    with (repo.root / "fixture/config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{trap}"\n')
    return "cd fixture && git status"


def submodule(repo: Repo) -> str:
    folder = repo.root.parent / "other"
    folder.mkdir()
    inner = trapped(folder, filtered=False)
    clean = Repo(repo.root, repo.env)
    clean.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    clean.git("commit", "-qm", "sub")
    trap = repo.root.parent / "sub-trap"
    trap.write_text(f'#!/bin/sh\necho submodule >>"{repo.root.parent}/sprung"\n')
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "gpg.program"):
        clean.git("config", key, str(trap), cwd=repo.root / "sub")
    clean.git("config", "log.showSignature", "true", cwd=repo.root / "sub")
    clean.git("config", "-f", ".gitmodules", "submodule.sub.ignore", "none")
    clean.git("config", "diff.submodule", "diff")
    clean.git("config", "status.submoduleSummary", "true")
    (repo.root / "sub/a.txt").write_text("changed\n")
    return "git status; git diff; git submodule status; git log -p"


@pytest.mark.asyncio
@pytest.mark.parametrize("build", [nested, embedded_bare, submodule])
async def test_a_repository_inside_springs_none(tmp_path: Path, build: Callable[[Repo], str]) -> None:
    repo = Repo.create(tmp_path)
    line = build(repo)
    (repo.root / "sprung").unlink(missing_ok=True)
    (tmp_path / "sprung").unlink(missing_ok=True)
    async with at(repo.root, tmp_path / "scratch") as bench:
        assert is_safe(line, repo.root)
        await bench.call("Bash", command=line)
    assert not (repo.root / "sprung").exists()
    assert not (tmp_path / "sprung").exists()
    plainly(line, repo)
    assert (repo.root / "sprung").exists() or (tmp_path / "sprung").exists()


@pytest.mark.asyncio
async def test_lfs_as_it_installs_itself_stays(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path, **{"a.bin": "pointer\n", ".gitattributes": "*.bin filter=lfs\n"})
    programs = tmp_path / "programs"
    programs.mkdir()
    lfs = programs / "git-lfs"
    lfs.write_text(f'#!/bin/sh\necho lfs >>"{tmp_path}/sprung"\ncat >/dev/null; echo pointer\n')
    lfs.chmod(0o755)
    repo.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    repo.git("config", "filter.lfs.required", "true")
    os.utime(repo.root / "a.bin", (1, 1))
    (tmp_path / "scratch").mkdir()
    bench = Bench(repo.root, tmp_path / "scratch", path=str(programs))
    try:
        assert await bench.text("Bash", command="git status --porcelain") == "(no output)"
        assert sprung(repo) == {"lfs"}
        repo.git("config", "lfs.extension.x.clean", "evil")
        os.utime(repo.root / "a.bin", (2, 2))
        (tmp_path / "sprung").unlink()
        said = await bench.text("Bash", command="git status --porcelain")
        assert "filter.lfs.clean" in said
        assert sprung(repo) == set()
    finally:
        await bench.shells.close()


@pytest.mark.asyncio
async def test_a_program_of_the_project_is_not_taken_for_the_systems(tmp_path: Path) -> None:
    """P29"""
    repo = Repo.create(tmp_path)
    for name in ("git", "ls"):
        planted = repo.root / "bin" / name
        planted.parent.mkdir(exist_ok=True)
        planted.write_text(f'#!/bin/sh\necho planted >>"{tmp_path}/sprung"\n')
        planted.chmod(0o755)
    async with at(repo.root, tmp_path / "scratch", path=f":.:bin:{repo.root}/bin") as bench:
        said = await bench.text("Bash", command="cd bin && git status --short && ls -a")
        assert f"not with {repo.root}/bin/git, {repo.root}/bin/ls]" in said
        assert sprung(repo) == set()
        await bench.call("Bash", command="cd . && make; ls")
    assert sprung(repo) == {"planted"}


@pytest.mark.asyncio
async def test_no_toolchain_that_the_project_names_is_run(tmp_path: Path) -> None:
    """P15"""
    root, programs = tmp_path / "project", tmp_path / "programs"
    for folder in (root, programs, tmp_path / "scratch"):
        folder.mkdir()
    for name in ("go", "node"):
        shim = programs / name
        shim.write_text("#!/bin/sh\necho $GOTOOLCHAIN $ASDF_DEFAULT_TOOL_VERSIONS_FILENAME\n")
        shim.chmod(0o755)
    bench = Bench(root, tmp_path / "scratch", path=str(programs))
    try:
        assert await bench.text("Bash", command="go version; node --version") == "local\nlocal"
        bench.write(".tool-versions", f"nodejs path:{root}/evil\n")
        assert "names-no-path" in await bench.text("Bash", command="node --version")
        assert await bench.text("Bash", command="go version && make -v; mkdir x; go build; true") != "local"
    finally:
        await bench.shells.close()
