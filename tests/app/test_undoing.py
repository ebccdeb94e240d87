"""Undo in whole sessions: real git and tools, a scripted model, a person who works on the same files."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from roocode.app import sessions, undoing
from roocode.app.opening import open_session
from roocode.app.rewinding import rewound_text, turns_text
from roocode.app.undoing import NO_AFTER, UNSEEN
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.memory.sessions.checkup import check
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import replay
from roocode.protocol.commands import RewindPart, SubmitPrompt
from roocode.protocol.errors import UserError
from roocode.protocol.events import Notice, RunEnded
from roocode.security.isolation.secrets import Secrets
from roocode.security.undo.snapshots import UNDO
from roocode.security.undo.states import LARGEST
from tests.app.test_talk import SLOW, notices, talking, until_told
from tests.engine.loop.conftest import ALLOW_ALL, Opener, Session

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
@pytest.mark.parametrize(
    "command",
    [
        "git reset -q --hard && git clean -qfd",
        "git checkout -q -- . && rm mine.txt",
        "git stash -q --include-untracked",
        "git add --all && git -c user.name=a -c user.email=a@b commit -q -m all && git rm -q a.txt mine.txt",
        "git checkout -q -f -b other && git rm -q --cached a.txt && rm -f a.txt mine.txt",
    ],
)
async def test_uncommitted_work_that_git_threw_away_comes_back(opened: Opener, command: str) -> None:
    repository(opened)
    opened.write(a="uncommitted\n", mine="new\n", staged="staged\n")
    git(opened.root, "add", "staged.txt")
    before = tree(opened.root)
    async with opened(bash(command), DONE) as session:
        await session.say("go")
        assert tree(opened.root) != before
        assert await rewind(session, 1) == []
        assert tree(opened.root) == before


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


@pytest.mark.asyncio
async def test_outside_of_a_repository_the_file_tools_alone_are_taken_back(opened: Opener) -> None:
    opened.write(a="a\n", b="b\n")
    edit = {"path": "a.txt", "old_string": "a", "new_string": "agent"}
    read = {"calls": [{"tool": "ReadFile", "input": {"path": "a.txt"}}]}
    steps = (
        read,
        {"calls": [{"tool": "EditFile", "input": edit}]},
        write("d/n.txt", "n"),
        bash("echo x > b.txt"),
    )
    async with opened(*steps, bash("echo x > b.txt"), DONE) as session:
        await session.say("go")
        kept = undoing.folder(session.single.conversation.path)
        files = [path for path in kept.rglob("*") if path.is_file()]
        assert [path.read_text() for path in files] == ["a\n"]
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
        assert kept.stat().st_mode & 0o777 == 0o700
        assert await rewind(session, 1) == [f"turn 1: {UNSEEN}"]
        assert tree(opened.root) == {"a.txt": "a\n", "b.txt": "x\n"}
        await rewind(session, 2)
        assert tree(opened.root)["a.txt"] == "agent\n"
        assert tree(opened.root)["d/n.txt"] == "n"


@pytest.mark.asyncio
async def test_an_ignored_file_that_a_tool_wrote_is_taken_back_too(opened: Opener) -> None:
    opened.write(ignored="mine\n")
    (opened.root / ".gitignore").write_text("ignored.txt\nmade.txt\n")
    repository(opened, a="a\n")
    read = {"calls": [{"tool": "ReadFile", "input": {"path": "ignored.txt"}}]}
    async with opened(read, write("ignored.txt", "agent"), write("made.txt", "m"), DONE) as session:
        await session.say("go")
        assert await rewind(session, 1) == []
    assert (opened.root / "ignored.txt").read_text() == "mine\n"
    assert not (opened.root / "made.txt").exists()


@pytest.mark.asyncio
async def test_large_files_are_left_and_named(opened: Opener) -> None:
    repository(opened)
    with (opened.root / "large").open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    async with opened(bash("echo x >> large; echo x > a.txt"), DONE) as session:
        await session.say("go")
        (left,) = await rewind(session, 1)
        assert left == f"{opened.root}/large is left as it is: it was not kept in turn 1"
    assert (opened.root / "a.txt").read_text() == "a\n"
    assert (opened.root / "large").stat().st_size > 11 * 1024 * 1024


@pytest.mark.asyncio
@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize("large", ["before", "after"])
async def test_a_large_file_that_a_tool_writes_is_left_and_named(
    opened: Opener, in_git: bool, large: str
) -> None:
    if in_git:
        repository(opened)
    file, size = opened.root / "large", LARGEST + 1
    file.write_bytes(b"x" * size if large == "before" else b"small")
    async with opened(DONE) as session:
        undo = session.single.undo
        undo.begin("go")
        await undo.changing((str(file),))
        session.single.hands.files.write("large", b"agent" if large == "before" else b"x" * size)
        await undo.end()
        await session.say("more")
        assert await rewind(session, 1, "code") == [f"{file} is left as it is: it was not kept in turn 1"]
    assert file.stat().st_size == (len(b"agent") if large == "before" else size)


@pytest.mark.asyncio
async def test_a_large_file_that_a_tool_left_alone_is_not_named(opened: Opener) -> None:
    file = opened.root / "large"
    file.write_bytes(b"x" * (LARGEST + 1))
    async with opened(DONE) as session:
        undo = session.single.undo
        undo.begin("go")
        await undo.changing((str(file),))
        await undo.end()
        await session.say("more")
        assert await rewind(session, 1, "code") == []


@pytest.mark.asyncio
async def test_protected_names_are_never_written(opened: Opener) -> None:
    repository(opened)
    (opened.root / ".mcp.json").write_text("{}")
    async with opened(DONE) as session:
        undo = session.single.undo
        undo.begin("go")
        await undo.changing(())
        (opened.root / ".mcp.json").write_text("changed")
        (opened.root / "a.txt").write_text("changed")
        await undo.end()
        await session.say("more")
        (left,) = await rewind(session, 1)
        assert left == str(opened.root / ".mcp.json")
        assert (opened.root / ".mcp.json").read_text() == "changed"
        assert (opened.root / "a.txt").read_text() == "a\n"


@pytest.mark.asyncio
async def test_a_directory_that_became_a_link_is_not_followed(opened: Opener, tmp_path: Path) -> None:
    repository(opened)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.txt").write_text("agent")
    async with opened(bash("mkdir d; printf agent > d/f.txt"), DONE) as session:
        await session.say("go")
        (opened.root / "d" / "f.txt").unlink()
        (opened.root / "d").rmdir()
        (opened.root / "d").symlink_to(outside)
        (left,) = await rewind(session, 1)
        assert left == str(opened.root / "d" / "f.txt")
    assert (outside / "f.txt").read_text() == "agent"


@pytest.mark.asyncio
async def test_without_git_or_room_the_turn_goes_on_and_one_notice_says_why(opened: Opener) -> None:
    repository(opened)
    async with opened(bash("echo 1 > a.txt"), bash("echo 2 > a.txt"), DONE) as session:
        log = session.single.conversation.path
        undoing.folder(log).write_text("a file where the directory should be")
        ended = await session.say("go")
        assert (ended.end, (opened.root / "a.txt").read_text()) == ("done", "2\n")
        (notice,) = session.seen(Notice)
        assert notice.level == "warning"
        assert notice.text.startswith("this turn cannot be undone: cannot write ")
        assert "files not kept" in turns_text(session.single.undo)
        undoing.folder(log).unlink()
        (left,) = await rewind(session, 1, "code")
        assert left.startswith("turn 1 is not taken back: cannot write ")


@pytest.mark.asyncio
async def test_a_resumed_session_goes_back_as_well(opened: Opener) -> None:
    repository(opened)
    before = tree(opened.root)
    async with opened(bash("echo 1 > a.txt; echo 1 > n.txt"), {"text": "first"}) as session:
        await session.say("one")
        identifier = session.single.conversation.header.id
        env = opened.environment("anthropic", session.server.url)
    choice = SessionChoice(start="named", session=identifier)
    single = open_session(
        RunOptions(cwd=opened.root, flags=(ALLOW_ALL,)),
        choice,
        env,
        lambda _: None,
        Secrets("salt"),
        approver=session.approver,
        asker=None,
    )
    assert "one" in turns_text(single.undo)
    rewound = await single.rewind(1, "both")
    assert single.conversation.messages() == ()
    assert tree(opened.root) == before
    assert str(rewound.number) in rewound_text(rewound, "both", opened.root)
    path = single.conversation.path
    await single.close()
    assert check(path) == ()
    assert replay(path).messages == ()


@pytest.mark.asyncio
async def test_a_turn_that_was_cut_off_is_left_and_named(opened: Opener) -> None:
    repository(opened)
    async with opened(DONE) as session:
        undo = session.single.undo
        undo.begin("cut")
        await undo.changing(())
        (opened.root / "a.txt").write_text("whose?")
        undo._turn = None
        await session.say("more")
        assert await rewind(session, 1, "code") == [f"turn 1 is not taken back: {NO_AFTER}"]
    assert (opened.root / "a.txt").read_text() == "whose?"


@pytest.mark.asyncio
async def test_a_turn_whose_end_is_cancelled_is_left_and_says_so(opened: Opener) -> None:
    repository(opened)
    async with opened(DONE) as session:
        undo = session.single.undo
        undo.begin("cut")
        await undo.changing(())
        (opened.root / "a.txt").write_text("whose?")
        end = asyncio.create_task(undo.end())
        await asyncio.sleep(0)
        end.cancel()
        await asyncio.wait([end])
        assert end.cancelled()
        assert (undo.busy, undo.unfinished) == (False, 0)
        (notice,) = session.seen(Notice)
        assert notice.text.startswith("this turn cannot be undone: it was cancelled")
        await session.say("more")
        (left,) = await rewind(session, 1, "code")
    assert left == "turn 1 is not taken back: it was cancelled while its files were looked at"
    assert (opened.root / "a.txt").read_text() == "whose?"


@pytest.mark.asyncio
async def test_a_turn_that_goes_on_is_listed_without_a_word_on_its_files(opened: Opener) -> None:
    repository(opened)
    async with opened(bash("echo 1 > a.txt"), SLOW, finishes=False) as session:
        run = session.start("go on")
        await session.until_asked(2)
        assert turns_text(session.single.undo).splitlines()[1].split() == ["1", "go", "on"]
        run.cancel()
        await asyncio.wait([run])
        assert turns_text(session.single.undo).endswith("1 file")


@pytest.mark.asyncio
async def test_a_cancelled_turn_is_taken_back(opened: Opener) -> None:
    repository(opened)
    async with opened(bash("echo 1 > a.txt"), SLOW, finishes=False) as session:
        run = session.start("go")
        await session.until_asked(2)
        run.cancel()
        await asyncio.wait([run])
        assert await rewind(session, 1) == []
    assert (opened.root / "a.txt").read_text() == "a\n"


@pytest.mark.asyncio
async def test_the_conversation_goes_back_behind_a_summary(opened: Opener) -> None:
    async with opened({"text": "first"}, {"text": "second"}) as session:
        await session.say("one")
        first = session.messages
        await session.say("two")
        session.single.conversation.compact((), session.seen(RunEnded)[0].usage)
        await rewind(session, 2, "conversation")
        assert session.messages == first
        with pytest.raises(UserError, match="there is no turn 9"):
            await session.single.rewind(9, "both")


@pytest.mark.asyncio
async def test_the_agents_list_goes_back_with_the_conversation(opened: Opener) -> None:
    def todo(text: str) -> dict[str, Any]:
        item = {"content": text, "status": "pending"}
        return {"calls": [{"tool": "TodoWrite", "input": {"todos": [item]}}]}

    async with opened(todo("first"), DONE, todo("second"), DONE) as session:
        await session.say("one")
        await session.say("two")
        await rewind(session, 2, "conversation")
        assert "first" in session.single.hands.todos.text()
        assert "second" not in session.single.hands.todos.text()


@pytest.mark.asyncio
async def test_old_sessions_go_with_all_that_was_kept_for_them(opened: Opener) -> None:
    repository(opened)
    async with opened(bash("echo 1 > a.txt"), DONE) as session:
        await session.say("go")
        folder = sessions.folder(session.single.settings.places)
        old = Conversation.create(folder / "old.jsonl", Header("old", str(opened.root), "m", "default", ""))
        old.close()
        past = time.time() - 40 * 86400
        os.utime(old.path, (past, past))
        git(
            opened.root,
            "update-ref",
            f"{UNDO}/old/1-before",
            git(opened.root, "rev-parse", "HEAD^{tree}").strip(),
        )
        undoing.folder(old.path).mkdir()
    assert not undoing.folder(old.path).exists()
    assert not undoing.folder(session.single.conversation.path).exists()
    names = git(opened.root, "for-each-ref", "--format=%(refname)", UNDO).split()
    assert names
    assert all(name.startswith(f"{UNDO}/{session.single.conversation.header.id}/") for name in names)


@pytest.mark.asyncio
async def test_a_person_rewinds_at_the_screen(tmp_path: Path) -> None:
    async with talking(tmp_path, write("n.txt", "n"), DONE, first="make it") as (session, person):
        await session.until(lambda: session.seen(RunEnded) != [])
        person.give(SubmitPrompt("/rewind"), SubmitPrompt("/rewind x"), SubmitPrompt("/rewind 7"))
        listed, unclear, missing = await until_told(person, 3)
        assert "   1  make it" in listed
        assert unclear.startswith("/rewind x: expected a number")
        assert missing.startswith("there is no turn 7")
        person.give(SubmitPrompt("/rewind 1"), SubmitPrompt("once more"))
        await session.until(lambda: len(session.seen(RunEnded)) == 2)
        told = notices(person)[-1]
        assert "Removed, since the agent made them: n.txt" in told
        assert "/rewind 2 takes this back." in told
        assert not (session.root / "n.txt").exists()
        assert [message.spoken for message in session.messages if message.role == "user"] == ["once more"]


@pytest.mark.asyncio
async def test_nothing_is_taken_back_while_the_agent_works(tmp_path: Path) -> None:
    async with talking(tmp_path, SLOW, first="go") as (session, person):
        await session.until_asked(1)
        person.give(SubmitPrompt("/rewind 1"))
        (told,) = await until_told(person, 1)
        assert told.startswith("nothing can be taken back while the agent works")
