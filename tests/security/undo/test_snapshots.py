"""Snapshots of real repositories: exact, small, and without an effect on what is the person's."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import time
from pathlib import Path
from types import FrameType

import pytest

from roocode.protocol.errors import HostError
from roocode.security.undo.snapshots import UNDO, Difference, Snapshots, Taken, forget
from roocode.security.undo.states import LARGEST, FileState, look
from tests.gitrepo import Repo, environment, until_later_than
from tests.traps import sprung, trapped

ODD = os.fsdecode(b'odd \n"\\\xff\r name')


async def opened(repo: Repo, root: Path | None = None, session: str = "s1") -> Snapshots:
    found = await Snapshots.open(root or repo.root, repo.root.parent / "kept" / "index", session, repo.env)
    assert found is not None
    return found


def objects(repo: Repo) -> int:
    return int(repo.git("count-objects").split()[0])


def names(repo: Repo, difference: Difference) -> set[str]:
    return {os.path.relpath(change.path, repo.root) for change in difference.changes}


async def content(snapshots: Snapshots, state: FileState | None) -> bytes:
    assert state is not None
    return (await snapshots.contents([state]))[state.blob]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


async def changed(snapshots: Snapshots, before: Taken, number: int = 9) -> Difference:
    return await snapshots.difference(before, await snapshots.take(str(number)))


@pytest.mark.asyncio
async def test_only_what_changed_is_stored(repo: Repo) -> None:
    snapshots = await opened(repo)
    first, count = await snapshots.take("1"), objects(repo)
    assert await snapshots.take("2") == first
    assert objects(repo) == count
    assert repo.git("for-each-ref", "--format=%(refname)", UNDO) == f"{UNDO}/s1/1"
    repo.write(**{"a.txt": "changed"})
    second = await snapshots.take("3")
    assert objects(repo) == count + 2
    assert second.tree != first.tree


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["edit", "delete", "new", "mode", "link", "directory", "odd"])
async def test_every_kind_of_change_is_found_with_both_contents(repo: Repo, kind: str) -> None:
    snapshots = await opened(repo)
    before, path = await snapshots.take("1"), repo.root / "a.txt"
    old = path.read_bytes()
    match kind:
        case "edit":
            path.write_text("other")
        case "delete":
            path.unlink()
        case "new":
            path = repo.root / "d" / "new"
            repo.write(**{"d/new": "n"})
        case "mode":
            path.chmod(0o755)
        case "link":
            path.unlink()
            path.symlink_to("b.txt")
        case "directory":
            path.unlink()
            repo.write(**{"a.txt/inner": "i"})
        case "odd":
            path = repo.root / ODD
            path.write_bytes(b"\xff\r\n")
    changes = {change.path: change for change in (await changed(snapshots, before)).changes}
    change = changes[str(path)]
    assert change.after == look(str(path))
    if kind in ("new", "odd"):
        assert change.before is None
    else:
        assert await content(snapshots, change.before) == old
    if change.after is not None:
        found = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
        assert await content(snapshots, change.after) == found


@pytest.mark.asyncio
async def test_contents_are_raw_whatever_git_would_make_of_them(repo: Repo) -> None:
    repo.write(
        **{".gitattributes": "*.txt text eol=crlf\n*.auto text=auto\n*.u16 working-tree-encoding=UTF-16\n"}
    )
    (repo.root / "c.txt").write_bytes(b"one\r\ntwo\r\n")
    (repo.root / "c.auto").write_bytes(b"one\ntwo\n")
    (repo.root / "c.u16").write_bytes("wide".encode("utf-16"))
    repo.commit("attributes")
    raw = {path: path.read_bytes() for path in repo.root.glob("c.*")}
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    for path in raw:
        path.write_bytes(b"agent\r\n")
    difference = await changed(snapshots, before)
    assert names(repo, difference) == {"c.txt", "c.auto", "c.u16"}
    for change in difference.changes:
        assert await content(snapshots, change.before) == raw[Path(change.path)]


@pytest.mark.asyncio
async def test_a_change_in_the_second_of_the_index_and_of_the_same_size_is_seen(repo: Repo) -> None:
    repo.write(**{"a.txt": "aaaa"})
    repo.git("add", "a.txt")
    status = (repo.root / ".git" / "index").stat()
    path = repo.root / "a.txt"
    with path.open("r+") as file:
        file.write("bbbb")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    until_later_than(status.st_mtime)
    taken = await (await opened(repo)).take("1")
    assert repo.git("cat-file", "blob", f"{taken.tree}:a.txt") == "bbbb"


@pytest.mark.asyncio
async def test_ignored_large_special_and_foreign_files_are_left_out_and_named(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.o\n", "large": "small yet"})
    repo.write(**{"x.o": "o"})
    with (repo.root / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    os.mkfifo(repo.root / "pipe")
    inner = repo.root / "inner"
    inner.mkdir()
    repo.git("init", "-q", cwd=inner)
    repo.write(**{"inner/file": "f"})
    taken = await (await opened(repo)).take("1")
    assert set(taken.left_out) == {"large", "inner/"}
    assert taken.leaves_out("inner/file")
    assert Taken.from_json(taken.to_json()) == taken
    listed = repo.git("ls-tree", "-r", "--name-only", taken.tree).split("\n")
    assert listed == [".gitignore", "a.txt", "b.txt"]


@pytest.mark.asyncio
async def test_a_file_that_was_too_large_is_unclear_and_never_new(repo: Repo) -> None:
    with (repo.root / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    (repo.root / "large").write_text("small")
    difference = await changed(snapshots, before)
    assert difference == Difference((), (str(repo.root / "large"),))


@pytest.mark.asyncio
async def test_a_file_that_was_ignored_is_unclear_and_never_new(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    repo.write(**{"mine.log": "mine"})
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{".gitignore": ""})
    difference = await changed(snapshots, before)
    assert names(repo, difference) == {".gitignore"}
    assert difference.unclear == (str(repo.root / "mine.log"),)


@pytest.mark.asyncio
async def test_too_many_new_files_are_an_error_with_a_mend(repo: Repo, tmp_path: Path) -> None:
    (repo.root / "build").mkdir()
    for number in range(10_001):
        (repo.root / "build" / str(number)).touch()
    with pytest.raises(HostError, match="too many to keep") as error:
        await (await opened(repo)).take("1")
    assert ".gitignore" in error.value.mend


@pytest.mark.asyncio
async def test_a_repository_without_commits_and_one_in_a_merge(repo: Repo, tmp_path: Path) -> None:
    empty = Repo(tmp_path / "empty", repo.env)
    empty.root.mkdir()
    empty.git("init", "-q")
    snapshots = await Snapshots.open(empty.root, tmp_path / "empty-index", "s2", repo.env)
    assert snapshots is not None
    before = await snapshots.take("1")
    empty.write(**{"first.txt": "f"})
    assert names(empty, await changed(snapshots, before)) == {"first.txt"}
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", **{"a.txt": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", **{"a.txt": "main\n"})
    repo.git("merge", "-q", "side", ok=(1,))
    conflicted = (repo.root / "a.txt").read_text()
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{"a.txt": "solved"})
    (change,) = (await changed(snapshots, before)).changes
    assert await content(snapshots, change.before) == conflicted.encode()
    assert "UU a.txt" in repo.status()


@pytest.mark.asyncio
async def test_a_lock_on_the_index_is_no_hindrance(repo: Repo) -> None:
    (repo.root / ".git" / "index.lock").touch()
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{"a.txt": "x"})
    assert names(repo, await changed(snapshots, before)) == {"a.txt"}


@pytest.mark.asyncio
async def test_a_linked_worktree_and_a_directory_below_the_top(repo: Repo, tmp_path: Path) -> None:
    repo.commit("deep", **{"deep/er/f.txt": "f", "deep/g.txt": "g"})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked))
    snapshots = await opened(repo, linked / "deep")
    before = await snapshots.take("1")
    for root in (repo.root, linked):
        repo.write(root, **{"deep/er/f.txt": "x", "deep/new.txt": "n", "a.txt": "above"})
    difference = await changed(snapshots, before)
    assert {change.path for change in difference.changes} == {
        str(linked / "deep/er/f.txt"),
        str(linked / "deep/new.txt"),
    }


@pytest.mark.asyncio
async def test_a_submodule_is_left_to_itself(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other", repo.env)
    other.root.mkdir()
    other.git("init", "-q", "-b", "main")
    other.commit("inner", **{"i.txt": "i"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(other.root), "sub")
    repo.commit("submodule")
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{"sub/i.txt": "changed", "a.txt": "x"})
    repo.commit("moved", repo.root / "sub")
    difference = await changed(snapshots, before)
    assert names(repo, difference) == {"a.txt"}


@pytest.mark.asyncio
async def test_nothing_that_a_repository_brings_is_run(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{"a.txt": "x", "process.dat": "y", "new.txt": "n"})
    difference = await changed(snapshots, before)
    await snapshots.contents([change.after for change in difference.changes if change.after])
    await forget(repo.root, ["s1"], repo.env)
    assert sprung(repo) == set()


@pytest.mark.asyncio
async def test_gc_keeps_what_is_kept_and_forgetting_lets_it_go(repo: Repo) -> None:
    snapshots = await opened(repo)
    await snapshots.take("0")
    repo.write(**{"a.txt": "for a while"})
    taken = await snapshots.take("1")
    other = await opened(repo, session="s10")
    await other.take("1")
    repo.git("gc", "-q", "--prune=now")
    assert repo.git("cat-file", "blob", f"{taken.tree}:a.txt") == "for a while"
    repo.git("fsck", "--strict")
    await forget(repo.root, ["s1"], repo.env)
    assert repo.git("for-each-ref", "--format=%(refname)", UNDO) == f"{UNDO}/s10/1"


@pytest.mark.asyncio
@pytest.mark.parametrize("gone", [[], ["s1"], ["s1", "s2"], ["never", "s2"]])
async def test_the_sessions_that_are_forgotten_lose_theirs_alone(repo: Repo, gone: list[str]) -> None:
    for session in ("s1", "s2", "s3"):
        await (await opened(repo, session=session)).take("1")
    before = repo.git("for-each-ref", "--format=%(refname)").split()
    await forget(repo.root, gone, repo.env)
    left = [ref for ref in before if not any(ref.startswith(f"{UNDO}/{name}/") for name in gone)]
    assert repo.git("for-each-ref", "--format=%(refname)").split() == left


@pytest.mark.asyncio
async def test_no_log_of_the_person_shows_a_snapshot(repo: Repo) -> None:
    await (await opened(repo)).take("1")
    assert repo.git("log", "--all", "--oneline", "--no-decorate").count("\n") == 0


@pytest.mark.asyncio
async def test_outside_of_a_repository_there_are_none(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert await Snapshots.open(folder, tmp_path / "index", "s", environment(tmp_path)) is None
    await forget(folder, ["s"], {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})


@pytest.mark.asyncio
async def test_a_lost_or_damaged_object_is_an_error(repo: Repo) -> None:
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.write(**{"a.txt": "x"})
    (change,) = (await changed(snapshots, before)).changes
    assert change.after is not None
    blob = change.after.blob
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(HostError, match="has lost the content"):
        await snapshots.contents([change.after])


@pytest.mark.asyncio
async def test_a_private_index_that_is_gone_is_made_anew(repo: Repo, tmp_path: Path) -> None:
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    shutil.rmtree(tmp_path / "kept")
    repo.write(**{"a.txt": "x", "n.txt": "n"})
    assert names(repo, await changed(snapshots, before)) == {"a.txt", "n.txt"}


@pytest.mark.asyncio
async def test_an_ignored_file_that_is_added_by_force_is_unclear_and_never_new(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    repo.write(**{"mine.log": "mine"})
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    repo.git("add", "--force", "mine.log")
    repo.write(**{"new.txt": "n"})
    difference = await changed(snapshots, before)
    assert names(repo, difference) == {"new.txt"}
    assert difference.unclear == (str(repo.root / "mine.log"),)


@pytest.mark.asyncio
async def test_a_repository_that_hashes_with_sha256(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other", repo.env)
    other.root.mkdir()
    other.git("init", "-q", "--object-format=sha256")
    other.commit("start", **{"a.txt": "a"})
    snapshots = await opened(other)
    before = await snapshots.take("1")
    (other.root / "a.txt").unlink()
    other.write(**{"b.txt": "b"})
    changes = {change.path: change for change in (await changed(snapshots, before)).changes}
    assert await content(snapshots, changes[str(other.root / "a.txt")].before) == b"a"
    assert changes[str(other.root / "b.txt")].after == look(str(other.root / "b.txt"), snapshots.algorithm)


@pytest.mark.asyncio
async def test_a_file_that_nobody_may_read_is_left_out(repo: Repo) -> None:
    repo.write(**{"secret.txt": "s"})
    (repo.root / "secret.txt").chmod(0)
    if os.access(repo.root / "secret.txt", os.R_OK):
        pytest.skip("root reads everything")
    assert set((await (await opened(repo)).take("1")).left_out) == {"secret.txt"}


@pytest.mark.asyncio
async def test_a_damaged_private_index_is_made_anew(repo: Repo, tmp_path: Path) -> None:
    snapshots = await opened(repo)
    before = await snapshots.take("1")
    (tmp_path / "kept" / "index").write_bytes(b"DIRC garbage")
    (tmp_path / "kept" / "index.lock").touch()
    repo.write(**{"a.txt": "x"})
    assert names(repo, await changed(snapshots, before)) == {"a.txt"}


@pytest.mark.asyncio
@pytest.mark.parametrize("became", ["nothing", "a file"])
async def test_a_link_that_goes_while_it_is_looked_at_is_tried_once_more(repo: Repo, became: str) -> None:
    snapshots, link = await opened(repo), repo.root / "link"
    link.symlink_to("a.txt")

    def interfere(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_name == "_store" and link.is_symlink():
            link.unlink()
            if became == "a file":
                link.write_text("new")

    tracer = sys.gettrace()
    sys.settrace(interfere)
    try:
        taken = await snapshots.take("1")
    finally:
        sys.settrace(tracer)
    listed = repo.git("ls-tree", "--name-only", taken.tree).split()
    assert ("link" in listed) == (became == "a file")


@pytest.mark.asyncio
async def test_what_was_stored_before_is_not_read_again(repo: Repo) -> None:
    """Its stat data say so: a file of another content with the same ones would be taken for the old."""
    path = repo.root / "new.txt"
    path.write_text("old")
    snapshots = await opened(repo)
    until_later_than(time.time() - 1)
    first = await snapshots.take("1")
    again = await snapshots.take("2")
    assert again == first
    path.write_text("new")
    assert repo.git("cat-file", "blob", f"{(await snapshots.take('3')).tree}:new.txt") == "new"
    path.write_text("two")
    assert repo.git("cat-file", "blob", f"{(await snapshots.take('4')).tree}:new.txt") == "two"


@pytest.mark.asyncio
async def test_one_that_was_broken_off_does_not_spoil_the_next(repo: Repo, tmp_path: Path) -> None:
    snapshots = await opened(repo)
    other = Repo(repo.root, {**repo.env, "GIT_INDEX_FILE": str(tmp_path / "other")})
    for number in range(12):
        repo.write(**{f"d{number}/n.txt": str(number), "a.txt": str(number)})
        if number % 3 == 0:
            repo.git("add", "--all")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.004 * number):
                await snapshots.take(f"{number}-cut")
        taken = await snapshots.take(str(number))
        other.git("add", "--all")
        assert taken.tree == other.git("write-tree")
