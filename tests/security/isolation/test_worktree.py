"""Worktrees are made side by side, found again after a crash, and never removed with work in them."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError, UserError
from roocode.security.isolation.place import Place, parse_entries
from roocode.security.isolation.rescue import RESCUE
from roocode.security.isolation.worktree import COMPLETE, Worktrees
from tests.gitrepo import REASON, Repo, until_later_than


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


def rescue_refs(repo: Repo) -> list[str]:
    return repo.git("for-each-ref", "--format=%(refname)", RESCUE).split()


@pytest.mark.asyncio
async def test_add_makes_a_locked_worktree_on_its_branch(repo: Repo) -> None:
    worktrees = await repo.worktrees()
    git = await worktrees.add(repo.place("alice"), base="main", reason=REASON)
    entry = (await worktrees.entries())[1]
    assert (entry.path, entry.branch, entry.locked) == (git.cwd, "worktree-team-t+alice", REASON)
    assert (git.cwd / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert repo.git("config", "--get-regexp", r"^branch\.", ok=(1,)) == ""
    state = await worktrees.state(repo.place("alice"), "main")
    assert (state.kind, state.ahead, state.merged) == ("clean", 0, True)


@pytest.mark.asyncio
async def test_eight_at_once(repo: Repo) -> None:
    pairs = [(await repo.worktrees(), repo.place(f"m{number}")) for number in range(8)]
    await asyncio.gather(*(w.add(place, base="main", reason=REASON) for w, place in pairs))
    assert {e.branch for e in await pairs[0][0].entries()} == {"main", *(p.branch for _, p in pairs)}
    await asyncio.gather(*(w.remove(place, merged_into="main") for w, place in pairs))
    assert len(await pairs[0][0].entries()) == 1
    assert not any(place.path.exists() for _, place in pairs)
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


@pytest.mark.asyncio
async def test_a_lock_of_git_itself_is_waited_for(repo: Repo) -> None:
    lock = repo.root / ".git" / "refs" / "heads" / f"{repo.place('alice').branch}.lock"
    lock.write_text("")
    adding = asyncio.create_task(repo.member("alice"))
    done, _ = await asyncio.wait({adding}, timeout=0.15)
    assert not done
    lock.unlink()
    assert (await adding / "a.txt").exists()


@pytest.mark.asyncio
async def test_a_foreign_branch_is_never_taken_over_or_moved(repo: Repo) -> None:
    place = repo.place("alice")
    repo.git("switch", "-q", "-c", place.branch)
    tip = repo.commit("theirs", **{"a.txt": "theirs\n"})
    repo.git("switch", "-q", "main")
    with pytest.raises(UserError, match=f"there is a branch {place.branch.replace('+', '.')} already"):
        await repo.member("alice")
    assert repo.git("rev-parse", place.branch) == tip
    assert not place.path.exists()
    git = await (await repo.worktrees()).add(place, base="main", reason=REASON, recorded_tip=tip)
    assert (git.cwd / "a.txt").read_text() == "theirs\n"


@pytest.mark.asyncio
async def test_a_path_that_is_there_is_left_alone(repo: Repo) -> None:
    path = repo.place("alice").path
    path.mkdir(parents=True)
    (path / "notes").write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        await repo.member("alice")
    with pytest.raises(UserError, match="no worktree of this repository"):
        await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main", force=True)
    assert (path / "notes").read_text() == "mine"


@pytest.mark.asyncio
async def test_a_link_out_of_the_project_is_refused(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo.root / ".roocode").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="symbolic link"):
        await repo.member("alice")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.asyncio
async def test_taken_over_with_what_is_in_it(repo: Repo) -> None:
    path = await repo.member("alice")
    (path / "a.txt").write_text("half done\n")
    worktrees = await repo.worktrees()
    tip = await worktrees.tip(repo.place("alice").branch)
    git = await worktrees.add(repo.place("alice"), base="main", reason=f"{REASON}2", recorded_tip=tip)
    assert (git.cwd / "a.txt").read_text() == "half done\n"
    assert (await worktrees.entries())[1].locked == f"{REASON}2"


@pytest.mark.asyncio
async def test_deleted_by_hand_then_made_again(repo: Repo) -> None:
    path = await repo.member("alice")
    tip = repo.commit("work", cwd=path, **{"a.txt": "done\n"})
    shutil.rmtree(path)
    worktrees = await repo.worktrees()
    state = await worktrees.state(repo.place("alice"), "main")
    assert (state.kind, state.ahead) == ("missing", 1)
    git = await worktrees.add(repo.place("alice"), base="main", reason=REASON, recorded_tip=tip)
    assert (git.cwd / "a.txt").read_text() == "done\n"
    assert rescue_refs(repo) == []


@pytest.mark.asyncio
async def test_what_a_killed_add_left_is_made_anew(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.git("update-ref", "-d", COMPLETE, cwd=path)
    (path / "a.txt").unlink()
    (path / "b.txt").write_text("")
    await repo.member("alice")
    assert repo.status(path) == ""


@pytest.mark.asyncio
async def test_a_failed_add_leaves_no_branch(repo: Repo) -> None:
    place = repo.place("alice")
    place.path.parent.mkdir(parents=True)
    place.path.parent.chmod(0o500)
    if os.access(place.path.parent, os.W_OK):
        place.path.parent.chmod(0o700)
        place.path.parent.rmdir()
        place.path.parent.write_text("in the way")
    with pytest.raises(HostError, match="worktree add"):
        await repo.member("alice")
    assert await (await repo.worktrees()).tip(place.branch) is None


@pytest.mark.asyncio
async def test_other_worktrees_on_a_missing_disk_are_kept(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "mine", str(tmp_path / "disk" / "mine"))
    (tmp_path / "disk").rename(tmp_path / "unmounted")
    await repo.member("alice")
    await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main")
    (tmp_path / "unmounted").rename(tmp_path / "disk")
    assert repo.git("branch", "--show-current", cwd=tmp_path / "disk" / "mine") == "mine"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("tracked", "uncommitted changes in a.txt"),
        ("untracked", "new files new.txt"),
        ("commit", "commits that main lacks"),
        ("detached", "commits that main lacks"),
        ("merge", "a merge is under way"),
    ],
)
async def test_work_is_not_removed_without_force_and_rescued_with_it(
    repo: Repo, change: str, said: str
) -> None:
    path = await repo.member("alice")
    await _work(repo, path, change)
    before = repo.status(path)
    worktrees = await repo.worktrees()
    with pytest.raises(UserError, match=said) as refused:
        await worktrees.remove(repo.place("alice"), merged_into="main")
    assert "--force" in refused.value.mend
    assert (repo.status(path), rescue_refs(repo)) == (before, [])

    rescued = await worktrees.remove(repo.place("alice"), merged_into="main", force=True)
    assert list(rescued) == rescue_refs(repo)
    assert all(ref.startswith(f"{RESCUE}/t/alice-") for ref in rescued)
    assert not path.exists()
    assert await worktrees.tip(repo.place("alice").branch) is None
    contents = {repo.git("show", f"{ref}:{name}") for ref in rescued for name in _names(repo, ref)}
    assert "precious" in contents


async def _work(repo: Repo, path: Path, change: str) -> None:
    match change:
        case "tracked":
            repo.write(path, **{"a.txt": "precious\n"})
        case "untracked":
            repo.write(path, **{"new.txt": "precious\n"})
        case "commit":
            repo.commit("work", cwd=path, **{"a.txt": "precious\n"})
        case "detached":
            repo.git("switch", "-q", "--detach", cwd=path)
            repo.commit("work", cwd=path, **{"a.txt": "precious\n"})
        case "merge":
            repo.git("switch", "-q", "-c", "other")
            repo.commit("other", **{"c.txt": "precious\n"})
            repo.git("switch", "-q", "main")
            repo.git("merge", "--no-ff", "--no-commit", "other", cwd=path)


def _names(repo: Repo, ref: str) -> list[str]:
    return repo.git("ls-tree", "-r", "-z", "--name-only", ref).split("\0")[:-1]


@pytest.mark.asyncio
async def test_rescue_holds_every_kind_of_change(repo: Repo) -> None:
    repo.commit("more", **{"folder": "file\n", "gone.txt": "x\n", ".gitignore": "ignored\n"})
    path = await repo.member("alice")
    base = repo.head(path)
    (path / "folder").unlink()
    (path / "gone.txt").unlink()
    repo.write(path, **{"folder/inner": "in\n", "new\nname": "odd\n", "staged": "s\n", "ignored": "i\n"})
    repo.git("add", "staged", cwd=path)
    repo.write(path, staged="staged, then changed\n")
    (path / "link").symlink_to("a.txt")
    (path / os.fsdecode(b"\xff")).write_bytes(b"\x00\xff")
    (path / "a.txt").chmod(0o755)
    [ref] = await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main", force=True)
    assert repo.git("rev-parse", f"{ref}^") == base
    assert set(_names(repo, ref)) == {
        ".gitignore",
        "a.txt",
        "b.txt",
        "folder/inner",
        "link",
        "new\nname",
        "staged",
        os.fsdecode(b"\xff"),
    }
    assert repo.git("show", f"{ref}:staged") == "staged, then changed"
    assert repo.git("ls-tree", ref, "a.txt").startswith("100755")
    assert repo.git("ls-tree", ref, "link").startswith("120000")


@pytest.mark.asyncio
async def test_rescue_sees_a_change_in_the_second_of_the_index(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.write(path, **{"a.txt": "aaaa"})
    repo.git("add", "a.txt", cwd=path)
    index = (repo.root / ".git" / "worktrees" / path.name / "index").stat()
    with (path / "a.txt").open("r+") as file:
        file.write("bbbb")
    os.utime(path / "a.txt", ns=(index.st_atime_ns, index.st_mtime_ns))
    until_later_than(index.st_mtime)
    [ref] = await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main", force=True)
    assert repo.git("show", f"{ref}:a.txt") == "bbbb"


@pytest.mark.asyncio
async def test_rescue_of_a_conflict_keeps_both_sides(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.commit("alice", cwd=path, **{"a.txt": "alice\n"})
    other = repo.commit("main", **{"a.txt": "main\n"})
    repo.git("merge", "main", cwd=path, ok=(1,))
    [ref] = await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main", force=True)
    assert "<<<<<<<" in repo.git("show", f"{ref}:a.txt")
    assert repo.git("rev-parse", f"{ref}^2") == other


@pytest.mark.asyncio
async def test_two_rescues_in_one_second_have_two_names(repo: Repo) -> None:
    worktrees = await repo.worktrees()
    for content in ("first\n", "second\n"):
        repo.write(await repo.member("alice"), **{"a.txt": content})
        await worktrees.remove(repo.place("alice"), merged_into="main", force=True)
    assert {repo.git("show", f"{ref}:a.txt") for ref in rescue_refs(repo)} == {"first", "second"}


@pytest.mark.asyncio
async def test_a_repository_inside_is_not_lost_even_by_force(repo: Repo) -> None:
    path = await repo.member("alice")
    inner = path / "cloned"
    inner.mkdir()
    repo.git("init", "-q", "-b", "main", cwd=inner)
    repo.commit("inner work", cwd=inner, x="precious\n")
    worktrees = await repo.worktrees()
    with pytest.raises(UserError, match="repository of its own"):
        await worktrees.remove(repo.place("alice"), merged_into="main", force=True)
    assert (inner / "x").exists()
    shutil.move(inner, path.parent.parent / "kept")
    await worktrees.remove(repo.place("alice"), merged_into="main")
    assert not path.exists()


@pytest.mark.asyncio
async def test_submodules_do_not_hinder_a_removal(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()
    inner = Repo.create(tmp_path / "i")
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.git("commit", "-qm", "sub")
    path = await repo.member("alice")
    repo.git(*allow, "submodule", "--quiet", "update", "--init", cwd=path)
    worktrees = await repo.worktrees()
    repo.write(path / "sub", **{"a.txt": "precious\n"})
    with pytest.raises(UserError, match="repository of its own"):
        await worktrees.remove(repo.place("alice"), merged_into="main", force=True)
    repo.git("checkout", "-q", "a.txt", cwd=path / "sub")
    await worktrees.remove(repo.place("alice"), merged_into="main")
    assert not path.exists()


@pytest.mark.asyncio
async def test_locked_by_somebody_else(repo: Repo) -> None:
    path = await repo.member("alice")
    repo.git("worktree", "unlock", str(path))
    repo.git("worktree", "lock", "--reason", "on a stick", str(path))
    with pytest.raises(UserError, match="is locked: on a stick"):
        await (await repo.worktrees()).remove(repo.place("alice"), merged_into="main", force=True)
    assert path.exists()


@pytest.mark.asyncio
async def test_the_main_worktree_and_a_branch_in_use_are_safe(repo: Repo, tmp_path: Path) -> None:
    worktrees = await repo.worktrees()
    from_main = Place(repo.root, "main", "t/x")
    with pytest.raises(UserError, match="main worktree"):
        await worktrees.remove(from_main, merged_into="main", force=True)
    path = await repo.member("alice")
    repo.git("switch", "-q", "--detach", cwd=path)
    repo.git("worktree", "add", "-q", str(tmp_path / "mine"), repo.place("alice").branch)
    with pytest.raises(UserError, match="is checked out in"):
        await worktrees.remove(repo.place("alice"), merged_into="main", force=True)


@pytest.mark.asyncio
async def test_a_lost_git_file_is_named(repo: Repo) -> None:
    path = await repo.member("alice")
    (path / ".git").unlink()
    with pytest.raises(HostError, match=r"lost its \.git file") as error:
        await (await repo.worktrees()).add(repo.place("alice"), base="main", reason=REASON)
    assert "repair" in error.value.mend
    assert (path / "a.txt").exists()


@pytest.mark.asyncio
async def test_removing_what_is_gone_removes_its_branch(repo: Repo) -> None:
    shutil.rmtree(await repo.member("alice"))
    worktrees = await repo.worktrees()
    assert await worktrees.remove(repo.place("alice"), merged_into="main") == ()
    assert await worktrees.tip(repo.place("alice").branch) is None
    assert await worktrees.remove(repo.place("alice"), merged_into="main") == ()


@pytest.mark.asyncio
async def test_state_tells_dirty_from_untracked(repo: Repo) -> None:
    path = await repo.member("alice")
    worktrees: Worktrees = await repo.worktrees()
    repo.write(path, new="")
    assert (await worktrees.state(repo.place("alice"), "main")).kind == "untracked"
    repo.commit("new", cwd=path, **{"a.txt": "2\n"})
    repo.write(path, **{"a.txt": "3\n"})
    state = await worktrees.state(repo.place("alice"), "main")
    assert (state.kind, state.ahead, state.merged) == ("dirty", 1, False)


def test_entries_are_parsed() -> None:
    text = (
        "worktree /r\0HEAD 12\0branch refs/heads/main\0\0"
        f"worktree /r/w\0HEAD {'0' * 40}\0detached\0locked\0prunable gone\0\0"
    )
    main, other = parse_entries(text)
    assert (main.branch, main.head, main.locked) == ("main", "12", None)
    assert (other.branch, other.head, other.locked) == (None, None, "")
