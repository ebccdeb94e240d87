"""`isolation: worktree`: made, committed, kept with its branch or removed, reported, never merged."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.app.subagents.family import Families, agent, ids, repository, typed

LOOK = {"tool": "Bash", "input": {"command": "git branch --show-current"}}


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def write(path: str, content: str) -> dict[str, Any]:
    return {"tool": "WriteFile", "input": {"path": path, "content": content}}


@pytest.mark.asyncio
async def test_what_it_changed_is_committed_on_a_branch_that_is_reported(families: Families) -> None:
    families.write(a="one\n")
    repository(families.root)
    plays = {
        "main": [
            {"calls": [typed(name="ann", isolation="worktree")]},
            {"when": {"result": {"contains": "Its work is on the branch worktree-agent-a"}}, "text": "Done."},
        ],
        "ann": [
            {"when": {"first_contains": "You work in a git worktree of your own"}, "calls": [LOOK]},
            {"calls": [write("new.txt", "x\n")]},
            {"text": "Written."},
        ],
    }
    async with families.family(plays) as session:
        assert (await session.say("Go.")).text == "Done."
        (name,) = ids(session)
    assert not (families.root / "new.txt").exists()
    assert git(families.root, "log", "--format=%s", f"worktree-agent-{name}") == "ann: find it\nStart"
    assert git(families.root, "show", f"worktree-agent-{name}:new.txt") == "x"
    assert git(families.root, "status", "--porcelain") == ""


@pytest.mark.asyncio
async def test_where_nothing_changed_nothing_is_left(families: Families) -> None:
    families.write(a="one\n")
    repository(families.root)
    plays = {
        "main": [{"calls": [typed(name="ann", isolation="worktree")]}, {"text": "Done."}],
        "ann": [{"text": "Nothing to do."}],
    }
    async with families.family(plays) as session:
        await session.say("Go.")
        assert "its worktree and branch are removed" in session.results[0].content
    assert len(git(families.root, "worktree", "list").splitlines()) == 1
    assert git(families.root, "branch", "--format=%(refname:short)", "--list", "worktree-*") == ""


@pytest.mark.asyncio
async def test_one_that_goes_on_has_its_branch_again(families: Families) -> None:
    families.write(a="one\n")
    repository(families.root)
    again = {"tool": "SendMessage", "input": {"to": "ann", "summary": "more", "message": "And b."}}
    plays = {
        "main": [
            {"calls": [typed(name="ann", isolation="worktree")]},
            {"calls": [again]},
            {"text": "I wait."},
            {"when": {"last_contains": ["<task-notification", "2 commits"]}, "text": "Done."},
        ],
        "ann": [
            {"calls": [write("b.txt", "x\n")]},
            {"text": "Written."},
            {"calls": [write("c.txt", "y\n")]},
            {"text": "Again."},
        ],
    }
    async with families.family(plays) as session:
        assert (await session.say("Go.")).text == "Done."


@pytest.mark.asyncio
async def test_a_fork_in_a_worktree_is_told_where_it_is(families: Families) -> None:
    families.write(a="one\n")
    repository(families.root)
    plays = {
        "main": [
            {"calls": [agent(name="ann", isolation="worktree")]},
            {"text": "I wait."},
            {
                "when": {"last_contains": ["<task-notification", "on the branch worktree-agent-a"]},
                "text": "Done.",
            },
        ],
        "ann": [
            {
                "when": {"last_contains": "You work in a git worktree of your own"},
                "calls": [write("f.txt", "x\n")],
            },
            {"text": "Written."},
        ],
    }
    async with families.family(plays) as session:
        assert (await session.say("Go.")).text == "Done."
    assert not (families.root / "f.txt").exists()


@pytest.mark.asyncio
async def test_without_a_repository_the_call_says_so(families: Families) -> None:
    plays = {"main": [{"calls": [typed(isolation="worktree")]}, {"text": "Done."}]}
    async with families.family(plays) as session:
        await session.say("Go.")
        assert session.results[0].is_error
        assert "isolation: worktree is not possible here" in session.results[0].content
