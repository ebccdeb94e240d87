"""Branches come together in the integration worktree, and conflicts go back to their author."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from roocode.engine.team.conflict import Conflict, parse_merge_tree
from roocode.engine.team.merge import BUSY, Clash, Integrator, Merged, NothingToMerge, TakenIn, merge_into
from roocode.protocol.errors import HostError
from roocode.security.sandbox.process import until
from tests.gitrepo import REASON, Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path)


async def integrator(repo: Repo, base: str = "main") -> Integrator:
    return await Integrator.open(await repo.worktrees(), repo.integration(), base=base, reason=REASON)


async def work(repo: Repo, name: str, **files: str) -> str:
    """A member with one commit."""
    return repo.commit(f"{name}'s change", cwd=await repo.member(name), **files)


def branch(repo: Repo, name: str) -> str:
    return repo.place(name).branch


def is_clean(repo: Repo, team: Integrator) -> bool:
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir", cwd=team.git.cwd))
    return (
        repo.status(team.git.cwd) == ""
        and not (git_dir / "MERGE_HEAD").exists()
        and not repo.git("for-each-ref", BUSY, cwd=team.git.cwd)
    )


@pytest.mark.asyncio
async def test_each_branch_gets_its_own_merge_commit(repo: Repo) -> None:
    base = repo.head()
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    await work(repo, "bob", **{"b.txt": "bob\n"})
    await repo.member("carol")
    for name in ("alice", "bob"):
        outcome = await team.merge(name, branch(repo, name))
        assert outcome == Merged(name, await team.head())
    assert await team.merge("alice", branch(repo, "alice")) == NothingToMerge(
        "alice", f"{branch(repo, 'alice')} is merged already"
    )
    assert await team.merge("carol", branch(repo, "carol")) == NothingToMerge(
        "carol", f"{branch(repo, 'carol')} has no commits"
    )
    log = repo.git("log", "--first-parent", "--format=%s", f"{base}..{team.branch}")
    assert log.splitlines() == ["merge: bob", "merge: alice"]
    assert repo.git("show", f"{team.branch}:b.txt") == "bob"
    assert is_clean(repo, team)
    assert (repo.head(), repo.status()) == (base, "?? .roocode/")


@pytest.mark.asyncio
async def test_merged_follows_the_tips(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    branches = {"alice": branch(repo, "alice"), "bob": "no-such-branch"}
    assert await team.merged(branches) == frozenset()
    await team.merge("alice", branches["alice"])
    assert await team.merged(branches) == {"alice"}
    repo.commit("more", cwd=repo.place("alice").path, **{"a.txt": "more\n"})
    assert await team.merged(branches) == frozenset()


@pytest.mark.asyncio
async def test_a_branch_that_is_gone(repo: Repo) -> None:
    with pytest.raises(HostError, match="no-such"):
        await (await integrator(repo)).merge("x", "no-such")


SCENES = {
    "content": ({"a.txt": "alice\n"}, {"a.txt": "bob\n"}, "CONFLICT (content)", "a.txt"),
    "rename against edit and delete": (
        "git mv a.txt z.txt",
        "git rm -q a.txt",
        "CONFLICT (rename/delete)",
        "z.txt",
    ),
    "delete against edit": ("git rm -q a.txt", {"a.txt": "bob\n"}, "CONFLICT (modify/delete)", "a.txt"),
    "two renames": ("git mv a.txt x.txt", "git mv a.txt y.txt", "CONFLICT (rename/rename)", "a.txt"),
    "file against link": ("ln -sf b.txt new", {"new": "x\n"}, "CONFLICT (distinct types)", "new~HEAD"),
    "binary": ("printf '\\0one' >bin", "printf '\\0two' >bin", "Cannot merge binary files", "bin"),
    "modes of a new file": (
        "echo x >new; chmod +x new",
        "echo x >new; chmod -x new",
        "CONFLICT (add/add)",
        "new",
    ),
    "folder against file": ({"new/x": "1\n"}, {"new": "1\n"}, "CONFLICT (file/directory)", "new"),
}


async def scene(repo: Repo, name: str, change: str | dict[str, str]) -> str:
    path = await repo.member(name)
    if isinstance(change, dict):
        return repo.commit(f"{name}'s change", cwd=path, **change)
    shell = await asyncio.create_subprocess_exec("sh", "-c", change, cwd=path, env=repo.env)
    assert await shell.wait() == 0
    return repo.commit(f"{name}'s change", cwd=path)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", SCENES)
async def test_a_conflict_changes_nothing_and_names_both_sides(repo: Repo, kind: str) -> None:
    alice, bob, message, path = SCENES[kind]
    team = await integrator(repo)
    await scene(repo, "alice", alice)
    tip = await scene(repo, "bob", bob)
    await team.merge("alice", branch(repo, "alice"))
    head = await team.head()
    conflict = await team.merge("bob", branch(repo, "bob"))
    assert isinstance(conflict, Conflict)
    assert any(message in line for line in conflict.messages), conflict.messages
    assert any(found.startswith(path.partition("~")[0]) for found in conflict.paths), conflict.paths
    assert (conflict.ours.name, conflict.ours.commit) == (team.branch, head)
    assert (conflict.theirs.name, conflict.theirs.commit) == ("bob", tip)
    assert any("alice's change" in line for line in conflict.ours.commits)
    assert [line.split(" ", 1)[1] for line in conflict.theirs.commits] == ["bob's change"]
    assert "bob conflicts with roocode-team/t in" in conflict.describe()
    assert (await team.head(), is_clean(repo, team)) == (head, True)


@pytest.mark.asyncio
async def test_the_author_resolves_and_the_lead_merges_again(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    await work(repo, "bob", **{"a.txt": "bob\n"})
    await team.merge("alice", branch(repo, "alice"))
    assert isinstance(await team.merge("bob", branch(repo, "bob")), Conflict)
    bob = repo.place("bob").path
    repo.git("merge", team.branch, cwd=bob, ok=(1,))
    repo.commit("both", cwd=bob, **{"a.txt": "alice and bob\n"})
    assert isinstance(await team.merge("bob", branch(repo, "bob")), Merged)
    assert (team.git.cwd / "a.txt").read_text() == "alice and bob\n"


@pytest.mark.asyncio
async def test_renames_edits_and_modes_that_fit_are_all_kept(repo: Repo) -> None:
    team = await integrator(repo)
    await scene(repo, "alice", "git mv a.txt moved.txt; chmod +x b.txt")
    await scene(repo, "bob", {"a.txt": "ONE\ntwo\nthree\n", "b.txt": "b\nbob\n"})
    for name in ("alice", "bob"):
        assert isinstance(await team.merge(name, branch(repo, name)), Merged)
    assert (team.git.cwd / "moved.txt").read_text() == "ONE\ntwo\nthree\n"
    assert (team.git.cwd / "b.txt").read_text() == "b\nbob\n"
    assert (team.git.cwd / "b.txt").stat().st_mode & 0o100
    assert not (team.git.cwd / "a.txt").exists()


@pytest.mark.asyncio
async def test_forecast_names_the_pairs(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    await work(repo, "bob", **{"a.txt": "bob\n"})
    await work(repo, "carol", **{"b.txt": "carol\n"})
    clashes = await team.forecast({name: branch(repo, name) for name in ("alice", "bob", "carol")})
    assert clashes == (Clash(frozenset({"alice", "bob"}), ("a.txt",)),)


@pytest.mark.asyncio
async def test_work_of_others_in_the_integration_worktree_is_not_merged_over(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"b.txt": "alice\n"})
    repo.write(team.git.cwd, **{"a.txt": "the lead's own edit\n"})
    with pytest.raises(HostError, match=r"not committed: a\.txt"):
        await team.merge("alice", branch(repo, "alice"))
    again = await integrator(repo)
    assert (again.git.cwd / "a.txt").read_text() == "the lead's own edit\n"
    repo.git("checkout", "-q", "a.txt", cwd=team.git.cwd)
    repo.git("switch", "-q", "-c", "elsewhere", cwd=team.git.cwd)
    with pytest.raises(HostError, match="is on elsewhere"):
        await team.merge("alice", branch(repo, "alice"))


@pytest.mark.asyncio
async def test_what_a_killed_merge_left_is_taken_back(repo: Repo) -> None:
    team = await integrator(repo)
    tip = await work(repo, "alice", **{"a.txt": "alice\n", "new/file": "new\n"})
    head = await team.head()
    repo.git("update-ref", BUSY, tip, cwd=team.git.cwd)
    repo.write(team.git.cwd, **{"a.txt": "ali", "new/file": "ne", "report.txt": "of verify\n"})
    again = await integrator(repo)
    assert await again.head() == head
    assert repo.status(again.git.cwd) == "?? report.txt"
    assert isinstance(await again.merge("alice", branch(repo, "alice")), Merged)


@pytest.mark.asyncio
@pytest.mark.parametrize("mine", ["main\n", "one\ntwo\nthree\nfour\n"], ids=["conflict", "clean"])
async def test_a_merge_head_of_a_killed_lead_is_taken_back(repo: Repo, mine: str) -> None:
    team = await integrator(repo)
    tip = await work(repo, "alice", **{"a.txt": "alice\ntwo\nthree\n", "c.txt": "c\n"})
    head = repo.commit("lead", cwd=team.git.cwd, **{"a.txt": mine})
    repo.git("update-ref", BUSY, tip, cwd=team.git.cwd)
    repo.git("merge", "--no-commit", "--no-ff", tip, cwd=team.git.cwd, ok=(0, 1))
    again = await integrator(repo)
    assert (await again.head(), is_clean(repo, again)) == (head, True)


@pytest.mark.asyncio
async def test_a_lead_killed_after_the_merge_commit(repo: Repo) -> None:
    team = await integrator(repo)
    tip = await work(repo, "alice", **{"a.txt": "alice\n"})
    await team.merge("alice", branch(repo, "alice"))
    repo.git("update-ref", BUSY, tip, cwd=team.git.cwd)
    head = await team.head()
    again = await integrator(repo)
    assert (await again.head(), is_clean(repo, again)) == (head, True)


@pytest.mark.asyncio
async def test_a_cancelled_merge_leaves_the_worktree_clean(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{f"f{number}": "x" * 1000 for number in range(300)})
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir", cwd=team.git.cwd))
    for begun in (BUSY, "index.lock", "ORIG_HEAD"):
        task = asyncio.create_task(team.merge("alice", branch(repo, "alice")))
        assert await until(lambda: task.done() or (git_dir / begun).exists(), 10)  # noqa: B023
        task.cancel()
        await asyncio.wait({task})
        assert is_clean(repo, team)


@pytest.mark.asyncio
async def test_a_cancel_while_a_merge_is_tidied_up_waits_for_the_tidying(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{f"f{number}": "x" for number in range(50)})
    before = repo.git("rev-parse", "HEAD", cwd=team.git.cwd)

    def tidies() -> bool:
        busy = repo.git("for-each-ref", BUSY, cwd=team.git.cwd)
        return bool(busy) and repo.git("rev-parse", "HEAD", cwd=team.git.cwd) != before

    task = asyncio.create_task(team.merge("alice", branch(repo, "alice")))
    await until(lambda: task.done() or tidies(), 10)
    task.cancel()
    await asyncio.wait({task})
    assert is_clean(repo, team)


@pytest.mark.asyncio
async def test_the_worktree_deleted_by_hand_is_made_again_with_its_merges(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    await team.merge("alice", branch(repo, "alice"))
    shutil.rmtree(team.git.cwd)
    with pytest.raises(HostError, match="is gone"):
        await team.head()
    again = await integrator(repo)
    assert (again.git.cwd / "a.txt").read_text() == "alice\n"


@pytest.mark.asyncio
async def test_scratch_takes_away_what_a_verify_command_wrote(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.cache\n"})
    team = await integrator(repo)
    repo.write(team.git.cwd, **{"kept.txt": "from before\n"})
    async with team.scratch():
        repo.write(team.git.cwd, **{"a.txt": "rewritten\n", "out/report": "", "x.cache": "", "-odd": ""})
        (team.git.cwd / "b.txt").unlink()
    assert repo.status(team.git.cwd) == "?? kept.txt"
    assert (team.git.cwd / "x.cache").exists()
    with pytest.raises(ZeroDivisionError):
        await failing(team)
    assert repo.status(team.git.cwd) == "?? kept.txt"


async def failing(team: Integrator) -> None:
    async with team.scratch():
        (team.git.cwd / "a.txt").unlink()
        assert 1 / 0


@pytest.mark.asyncio
async def test_the_bases_new_commits_are_merged_like_any_branch(repo: Repo) -> None:
    team = await integrator(repo)
    await work(repo, "alice", **{"a.txt": "alice\n"})
    await team.merge("alice", branch(repo, "alice"))
    repo.git("add", "-N", ".")
    (repo.root / "b.txt").write_text("the person's\n")
    repo.git("commit", "-qm", "meanwhile", "b.txt")
    assert isinstance(await team.merge("main", "main"), Merged)
    assert repo.git("log", "-1", "--format=%s", team.branch) == "merge: main"
    assert (team.git.cwd / "b.txt").read_text() == "the person's\n"


@pytest.mark.asyncio
async def test_a_claimant_gets_the_code_it_depends_on(repo: Repo) -> None:
    alice = await work(repo, "alice", **{"a.txt": "alice\n"})
    bob = await work(repo, "bob", **{"b.txt": "bob\n"})
    repo.commit("later", cwd=repo.place("alice").path, **{"a.txt": "later\n"})
    git = (await repo.open()).at(await repo.member("carol"))
    assert await merge_into(git, "carol", [("alice", alice), ("bob", bob)]) == TakenIn(("alice", "bob"))
    assert [(git.cwd / name).read_text() for name in ("a.txt", "b.txt")] == ["alice\n", "bob\n"]
    assert await merge_into(git, "carol", [("alice", alice)]) == TakenIn(("alice",))
    assert repo.status(git.cwd) == ""


@pytest.mark.asyncio
async def test_a_conflict_is_left_to_the_claimant(repo: Repo) -> None:
    alice = await work(repo, "alice", **{"b.txt": "alice\n"})
    bob = await work(repo, "bob", **{"a.txt": "bob\n"})
    dave = await work(repo, "dave", **{"d.txt": "dave\n"})
    await work(repo, "carol", **{"a.txt": "carol\n"})
    git = (await repo.open()).at(repo.place("carol").path)
    taken = await merge_into(git, "carol", [("alice", alice), ("bob", bob), ("dave", dave)])
    assert (taken.merged, taken.waiting) == (("alice",), ("dave",))
    assert taken.conflict
    assert (taken.conflict.ours.name, taken.conflict.theirs.name) == ("carol", "bob")
    assert "<<<<<<<" in (git.cwd / "a.txt").read_text()
    with pytest.raises(HostError, match="a merge is in progress"):
        await merge_into(git, "carol", [("dave", dave)])
    repo.commit("resolved", cwd=git.cwd, **{"a.txt": "both\n"})
    assert repo.git("rev-parse", "HEAD^2", cwd=git.cwd) == bob
    assert await merge_into(git, "carol", [("bob", bob), ("dave", dave)]) == TakenIn(("bob", "dave"))


@pytest.mark.asyncio
async def test_a_claimants_own_changes_are_not_merged_over(repo: Repo) -> None:
    alice = await work(repo, "alice", **{"a.txt": "alice\n", "new": "alice\n"})
    git = (await repo.open()).at(await repo.member("carol"))
    repo.write(git.cwd, new="carol's, in no commit\n")
    with pytest.raises(HostError, match="new"):
        await merge_into(git, "carol", [("alice", alice)])
    assert (git.cwd / "new").read_text() == "carol's, in no commit\n"


def test_merge_tree_output_is_parsed() -> None:
    clean = parse_merge_tree(zero("abc||1|a|Auto-merging|Auto-merging a\n|"))
    assert (clean.tree, clean.paths, clean.messages) == ("abc", (), ())
    assert parse_merge_tree(zero("abc|")) == parse_merge_tree(zero("abc||"))
    bad = parse_merge_tree(zero("abc|a|b||2|a|b|CONFLICT (rename)|CONFLICT: x\n|0|note|n\n|"))
    assert (bad.paths, bad.messages) == (("a", "b"), ("CONFLICT: x",))


def zero(text: str) -> str:
    return text.replace("|", "\0")


KILLED = """
import asyncio, sys
from pathlib import Path
from roocode.engine.team.merge import Integrator
from roocode.security.sandbox.git import Git

async def main(root, branch):
    git = (await Git.open(Path(root))).at(Path(root))
    await Integrator(git, "roocode-team/t", "main").merge("alice", branch)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.asyncio
@pytest.mark.parametrize("at", [BUSY, "index.lock", "ORIG_HEAD"])
async def test_a_lead_killed_in_a_merge(repo: Repo, at: str) -> None:
    team = await integrator(repo)
    tip = await work(repo, "alice", **{f"f{number}": "x" * 1000 for number in range(300)})
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir", cwd=team.git.cwd))
    lead = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", KILLED, str(team.git.cwd), branch(repo, "alice")), env=repo.env
    )
    assert await until(lambda: (git_dir / at).exists() or lead.returncode is not None, 10)
    if lead.returncode is None:
        lead.kill()
    await lead.wait()
    again = await integrator(repo)
    assert is_clean(repo, again)
    await again.merge("alice", branch(repo, "alice"))
    assert repo.git("log", "--first-parent", "--format=%s", f"main..{team.branch}") == "merge: alice"
    assert repo.git("rev-parse", f"{team.branch}^2") == tip
    assert is_clean(repo, again)
