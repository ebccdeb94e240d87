"""What is left in a worktree is committed; what is not ours to commit is named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

import pytest

from roocode.engine.team.leftovers import Leftovers, commit_leftovers
from roocode.protocol.errors import HostError
from tests.gitrepo import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


async def commit(repo: Repo, written: Collection[Path | str] = (), message: str = "work") -> Leftovers:
    place = repo.place("alice")
    git = (await repo.open()).at(place.path)
    paths = [Path(path) for path in written]
    return await commit_leftovers(git, branch=place.branch, message=message, written=paths)


def names(repo: Repo, commit: str | None) -> set[str]:
    assert commit is not None
    return set(repo.git("show", "--format=", "--name-only", "--no-renames", "-z", commit).split("\0")) - {""}


@pytest.mark.asyncio
async def test_nothing_left(repo: Repo) -> None:
    path = await repo.member("alice")
    before = repo.head(path)
    assert await commit(repo) == Leftovers()
    assert repo.head(path) == before


@pytest.mark.asyncio
async def test_tracked_changes_and_written_files(repo: Repo) -> None:
    path = await repo.member("alice")
    (path / "b.txt").unlink()
    repo.write(path, **{"a.txt": "new\n", "made/by tool.py": "1", "by_bash.log": "2", "rel.py": "3"})
    left = await commit(repo, [path / "made" / "by tool.py", "rel.py", repo.root / "a.txt", "never.py"])
    assert names(repo, left.commit) == {"a.txt", "b.txt", "made/by tool.py", "rel.py"}
    assert set(left.committed) == names(repo, left.commit)
    assert left.named == ("by_bash.log",)
    assert repo.status(path) == "?? by_bash.log"
    assert repo.git("show", "-s", "--format=%s|%an", left.commit or "") == "work|Uma User"


@pytest.mark.asyncio
async def test_staged_files_go_along_and_the_message_is_kept_whole(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.write(path, **{"new.py": "1"})
    repo.git("add", "new.py", cwd=path)
    left = await commit(repo, message="task 1: done\n\n# a heading, no comment\n")
    assert names(repo, left.commit) == {"new.py"}
    assert "# a heading" in repo.git("show", "-s", "--format=%B", left.commit or "")


@pytest.mark.asyncio
async def test_odd_names_and_kinds(repo: Repo) -> None:
    odd = [os.fsdecode(b"\xff\xfe"), "new\nline", "-rf", ":(glob)*", 'quote"\\', "ümlaut", "*"]
    repo.commit("folder", **{"folder": "a file\n", "script.sh": "x\n", "was/folder": "x\n"})
    path = await repo.member("alice")
    for name in odd:
        (path / name).write_text("x")
    (path / "folder").unlink()
    (path / "was" / "folder").unlink()
    (path / "was").rmdir()
    (path / "was").write_text("now a file\n")
    repo.write(path, **{"folder/inner": "now a folder\n", "decoy": ""})
    (path / "link").symlink_to("nowhere")
    (path / "script.sh").chmod(0o755)
    left = await commit(repo, [*odd, "folder/inner", "link", "was"])
    assert names(repo, left.commit) == {
        *odd,
        "folder",
        "folder/inner",
        "link",
        "script.sh",
        "was",
        "was/folder",
    }
    assert left.named == ("decoy",)


@pytest.mark.asyncio
async def test_ours_and_inner_repositories_are_never_committed(repo: Repo) -> None:
    repo.commit("ours", **{".roocode/config.yaml": "mode: default\n"})
    path = await repo.member("alice")
    repo.write(
        path, **{".roocode/config.yaml": "mode: yolo\n", ".roocode/x": "", ".ROOCODE/y": "", "a.txt": "2\n"}
    )
    inner = path / "inner"
    inner.mkdir()
    repo.git("init", "-q", cwd=inner)
    repo.commit("inner", cwd=inner, x="1")
    repo.git("add", ".roocode/config.yaml", ".roocode/x", "inner", cwd=path)
    left = await commit(repo, [".roocode/x", ".ROOCODE/y", "inner", "inner/x"])
    assert names(repo, left.commit) == {"a.txt"}
    assert set(left.named) == {".roocode/config.yaml", ".roocode/x", ".ROOCODE/y", "inner"}
    assert (path / ".roocode" / "config.yaml").read_text() == "mode: yolo\n"


@pytest.mark.asyncio
async def test_files_behind_a_filter_are_named(repo: Repo) -> None:
    repo.git("config", "--global", "filter.lfs.clean", "false")
    repo.commit("lfs", **{".gitattributes": "*.bin filter=lfs\n*.other filter=unknown\n"})
    path = await repo.member("alice")
    repo.write(path, **{"big.bin": "content", "x.other": "1"})
    left = await commit(repo, ["big.bin", "x.other"])
    assert names(repo, left.commit) == {"x.other"}
    assert left.named == ("big.bin",)


@pytest.mark.asyncio
async def test_conflicts_are_left_alone(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.commit("alice", cwd=path, **{"a.txt": "alice\n"})
    repo.commit("main", **{"a.txt": "main\n", "b.txt": "b2\n"})
    repo.git("merge", "main", cwd=path, ok=(1,))
    before = (repo.head(path), repo.status(path))
    left = await commit(repo)
    assert left.commit is None
    assert "conflicts are not resolved in a.txt" in left.blocked
    assert (repo.head(path), repo.status(path)) == before

    repo.write(path, **{"a.txt": "both\n"})
    repo.git("add", "a.txt", cwd=path)
    left = await commit(repo)
    assert left.blocked == ""
    assert repo.git("rev-parse", f"{left.commit}^2") == repo.head()
    assert repo.git("show", f"{left.commit}:a.txt") == "both"


@pytest.mark.asyncio
async def test_a_merge_may_bring_our_own_files(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.commit("main", **{".roocode/config.yaml": "mode: plan\n"})
    repo.git("merge", "--no-ff", "--no-commit", "main", cwd=path)
    left = await commit(repo)
    assert repo.git("show", f"{left.commit}:.roocode/config.yaml") == "mode: plan"
    assert left.named == ()


@pytest.mark.asyncio
async def test_another_branch_or_operation_is_told(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.git("switch", "-q", "-c", "elsewhere", cwd=path)
    repo.write(path, **{"a.txt": "x\n"})
    assert "is on elsewhere, not on its branch" in (await commit(repo)).blocked
    repo.git("stash", cwd=path)
    repo.git("switch", "-q", "--detach", cwd=path)
    assert "a detached HEAD" in (await commit(repo)).blocked
    repo.git("switch", "-q", repo.place("alice").branch, cwd=path)
    repo.commit("alice", cwd=path, **{"a.txt": "alice\n"})
    repo.commit("main", **{"a.txt": "main\n"})
    repo.git("rebase", "main", cwd=path, ok=(1,))
    repo.write(path, **{"a.txt": "both\n"})
    repo.git("add", "a.txt", cwd=path)
    assert "a rebase is in progress" in (await commit(repo)).blocked


@pytest.mark.asyncio
async def test_a_lost_worktree_never_commits_in_the_checkout_around_it(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.write(**{"a.txt": "the person's own\n"})
    head = repo.head()
    (path / ".git").unlink()
    with pytest.raises(HostError, match="not a git repository"):
        await commit(repo)
    shutil.rmtree(path)
    with pytest.raises(HostError, match="is gone"):
        await commit(repo)
    assert repo.head() == head
    assert (repo.root / "a.txt").read_text() == "the person's own\n"


@pytest.mark.asyncio
async def test_a_lock_of_a_killed_git_is_no_hindrance(repo: Repo) -> None:
    path = await repo.member("alice")
    lock = Path(repo.git("rev-parse", "--absolute-git-dir", cwd=path)) / "index.lock"
    lock.write_text("")
    os.utime(lock, (1, 1))
    repo.write(path, **{"a.txt": "2\n"})
    assert names(repo, (await commit(repo)).commit) == {"a.txt"}
