"""Undo in whole sessions: real git and tools, a scripted model, a person who works on the same files."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from roocode.protocol.commands import RewindPart
from tests.engine.loop.conftest import Opener, Session

DONE = {"text": "done"}


def bash(command: str) -> dict[str, Any]:
    return {"calls": [{"tool": "Bash", "input": {"command": command, "description": "Change things"}}]}


def write(path: str, content: str) -> dict[str, Any]:
    return {"calls": [{"tool": "WriteFile", "input": {"path": path, "content": content}}]}


def git(root: Path, *args: str) -> str:
    identity = ("-c", "user.name=Uma", "-c", "user.email=uma@example.com")
    done = subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def repository(opened: Opener, **files: str) -> None:
    git(opened.root, "init", "-q", "-b", "main")
    opened.write(**(files or {"a": "a\n", "b": "b\n"}))
    git(opened.root, "add", "--all")
    git(opened.root, "commit", "-q", "-m", "start")


def tree(root: Path) -> dict[str, str]:
    """What the person sees: every file with its content, links with their targets."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file() and not name.startswith(".git/"):
            found[name] = path.read_bytes().decode("latin-1") + ("x" if path.stat().st_mode & 0o100 else "")
        elif path.is_dir() and not (name + "/").startswith(".git/"):
            found[name] = "directory"
    return found


async def rewind(session: Session, turn: int, part: RewindPart = "both") -> list[str]:
    """Goes back; returns the paths that were left, and the notes."""
    rewound = await session.single.rewind(turn, part)
    return [*rewound.kept, *rewound.notes]


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    return Opener(tmp_path)


@pytest.mark.asyncio
async def test_what_tools_and_commands_did_is_taken_back(opened: Opener) -> None:
    repository(opened)
    opened.write(untracked="mine\n")
    before = tree(opened.root)
    change = (
        "echo x >> a.txt; rm b.txt; echo y > untracked.txt; mkdir -p d/e; echo n > d/e/n.txt; ln -s a.txt l"
    )
    async with opened(write("d/w.txt", "w"), bash(change), bash("chmod +x a.txt"), DONE) as session:
        await session.say("go")
        assert tree(opened.root) != before
        assert await rewind(session, 1) == []
        assert tree(opened.root) == before
        assert session.messages == ()


@pytest.mark.asyncio
async def test_index_stash_head_and_branches_are_untouched(opened: Opener) -> None:
    repository(opened)
    opened.write(staged="s\n", a="staged\n")
    git(opened.root, "add", "--all")
    opened.write(a="on top\n")
    index = (opened.root / ".git" / "index").read_bytes()
    refs = git(opened.root, "for-each-ref")
    async with opened(bash("echo agent > a.txt; rm staged.txt"), DONE) as session:
        await session.say("go")
        await rewind(session, 1)
    assert (opened.root / ".git" / "index").read_bytes() == index
    assert git(opened.root, "stash", "list") == ""
    ours = git(opened.root, "for-each-ref", "refs/roocode")
    assert git(opened.root, "for-each-ref") == refs + ours
    assert (opened.root / "a.txt").read_text() == "on top\n"
    assert (opened.root / "staged.txt").read_text() == "s\n"


@pytest.mark.asyncio
async def test_work_of_the_person_is_never_taken_back(opened: Opener) -> None:
    repository(opened)
    opened.write(a="uncommitted\n", mine="mine\n")
    steps = (
        bash("echo 1 > made.txt; echo 1 > b.txt; mkdir d; echo 1 > d/one.txt"),
        DONE,
        bash("true > two.txt"),
        DONE,
    )
    async with opened(*steps) as session:
        await session.say("one")
        opened.write(b="mine on top\n", between="between\n")
        (opened.root / "d" / "mine.txt").write_text("mine")
        await session.say("two")
        opened.write(later="later\n")
        left = await rewind(session, 1)
    assert left == [str(opened.root / "b.txt")]
    names = {"a.txt", "b.txt", "mine.txt", "between.txt", "later.txt", "d", "d/mine.txt"}
    assert set(tree(opened.root)) == names | {".git"} or set(tree(opened.root)) == names
    assert (opened.root / "a.txt").read_text() == "uncommitted\n"
    assert (opened.root / "b.txt").read_text() == "mine on top\n"


@pytest.mark.asyncio
async def test_a_rewind_can_be_taken_back(opened: Opener) -> None:
    repository(opened)
    async with opened(bash("echo 1 > a.txt; echo 1 > new.txt"), {"text": "first"}) as session:
        await session.say("one")
        after, messages = tree(opened.root), session.messages
        await rewind(session, 1)
        assert [turn.words for turn in session.single.undo.turns.shown] == ["/rewind 1 both"]
        await rewind(session, 2)
        assert tree(opened.root) == after
        assert session.messages == messages
        assert [turn.number for turn in session.single.undo.turns.shown] == [1, 3]


@pytest.mark.asyncio
async def test_code_or_conversation_alone(opened: Opener) -> None:
    repository(opened)
    steps = (bash("echo 1 > a.txt"), {"text": "first"}, bash("echo 2 > b.txt"), {"text": "second"})
    async with opened(*steps) as session:
        await session.say("one")
        first = session.messages
        await session.say("two")
        both = session.messages
        await rewind(session, 2, "code")
        assert session.messages == both
        assert (opened.root / "b.txt").read_text() == "b\n"
        await rewind(session, 2, "conversation")
        assert session.messages == first
        assert (opened.root / "a.txt").read_text() == "1\n"


@pytest.mark.asyncio
async def test_a_turn_that_only_reads_keeps_nothing(opened: Opener) -> None:
    repository(opened)
    read = {"calls": [{"tool": "ReadFile", "input": {"path": "a.txt"}}]}
    async with opened(read, bash("ls"), bash("git status"), DONE) as session:
        await session.say("look")
        assert session.single.undo.turns.all[1].before is None
    assert git(opened.root, "for-each-ref", "refs/roocode") == ""
