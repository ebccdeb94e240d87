"""A session that goes on: what it knows of files and git, its list and plan, what it never keeps."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from roocode.app.approvers import AskOnScreen
from roocode.app.git_state import head
from roocode.app.opening import open_session
from roocode.app.single import Single
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.sources import Flag
from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.replay import replay
from roocode.protocol.decisions import Mode, PermissionAnswer
from roocode.protocol.events import CallFinished, Event, PermissionAsked, SessionStarted
from roocode.protocol.messages import Usage, user
from roocode.scripted.server import serve
from roocode.security.isolation.secrets import Secrets
from tests.engine.loop.conftest import ALLOW_ALL, Opener, Session

DONE = {"text": "done"}
LAST = SessionChoice("last")


def calls(*of: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "input": given} for tool, given in of]}


def read(path: str, **more: Any) -> dict[str, Any]:
    return calls(("ReadFile", {"path": path, **more}))


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    return calls(("EditFile", {"path": path, "old_string": old, "new_string": new}))


def write(path: str, content: str) -> dict[str, Any]:
    return calls(("WriteFile", {"path": path, "content": content}))


class Goings:
    """Begins and goes on with sessions of one project."""

    def __init__(self, base: Path) -> None:
        self.opener = Opener(base)
        self.root = self.opener.root

    @asynccontextmanager
    async def again(
        self,
        *steps: Any,
        flags: tuple[Flag, ...] = (ALLOW_ALL,),
        choice: SessionChoice = LAST,
        cwd: Path | None = None,
        **options: Any,
    ) -> AsyncIterator[Session]:
        """The last session, in what may as well be another process."""
        with serve({"agents": {"main": list(steps)}}) as server:
            events: list[Event] = []
            session: Session | None = None

            def emit(event: Event) -> None:
                events.append(event)
                if session is not None:
                    session.happened.set()

            approver = AskOnScreen()
            single = open_session(
                RunOptions(cwd=cwd or self.root, flags=flags, **options),
                choice,
                self.opener.environment("anthropic", server.url),
                emit,
                Secrets("salt"),
                approver=approver,
                asker=None,
            )
            session = Session(single, server, approver, self.root, events)
            await single.begin()
            try:
                yield session
            finally:
                await single.close()
            assert server.failures == []
            assert check(single.conversation.path) == ()


@pytest.fixture
def goings(tmp_path: Path) -> Goings:
    return Goings(tmp_path)


def outcomes(session: Session) -> list[tuple[str, bool]]:
    return [(event.outcome.content, event.outcome.is_error) for event in session.seen(CallFinished)]


def notes(single: Single) -> str:
    return "\n".join(single.notes)


@pytest.mark.asyncio
async def test_an_unchanged_file_is_edited_without_reading_it_again(goings: Goings) -> None:
    goings.opener.write(a="one\n", b="two\n", c="three\n")
    async with goings.opener(read("a.txt"), write("d.txt", "four\n"), DONE) as session:
        await session.say("read")
    async with goings.again(
        edit("a.txt", "one", "1"), write("d.txt", "4\n"), edit("b.txt", "two", "2"), DONE
    ) as session:
        assert "since" not in notes(session.single)
        assert "goes on now" not in session.single.prompt("x").text
        await session.say("edit")
        assert [failed for _, failed in outcomes(session)] == [False, False, True]
    assert (goings.root / "a.txt").read_text() == "1\n"
    assert (goings.root / "d.txt").read_text() == "4\n"


@pytest.mark.asyncio
async def test_what_changed_or_is_gone_is_told_to_the_person_and_once_to_the_model(goings: Goings) -> None:
    goings.opener.write(a="one\n", b="two\n", c="three\n", d="four\n")
    everything = calls(*(("ReadFile", {"path": f"{name}.txt"}) for name in "abcd"))
    async with goings.opener(everything, DONE) as session:
        await session.say("read")
    goings.opener.write(a="one, changed\n")
    (goings.root / "b.txt").unlink()
    (goings.root / "d.txt").unlink()
    (goings.root / "d.txt").mkdir()
    for _ in range(2):
        async with goings.again() as session:
            assert "Changed since the agent read them: a.txt, d.txt." in notes(session.single)
            assert "Gone since the agent read them: b.txt." in notes(session.single)
    async with goings.again(edit("a.txt", "one", "1"), read("a.txt"), DONE, DONE) as session:
        await session.say("edit")
        await session.say("more")
        prompts = [message.text for message in session.messages if message.spoken in ("edit", "more")]
        assert "Changed since you read them: a.txt, d.txt. Gone since you read them: b.txt." in prompts[0]
        assert "goes on now" not in prompts[1]
        assert "has changed since it was read" in outcomes(session)[0][0]
    async with goings.again() as session:
        assert "Changed since the agent read them: d.txt." in notes(session.single)


@pytest.mark.asyncio
async def test_a_part_that_was_read_is_a_part_still(goings: Goings) -> None:
    goings.opener.write(a="1\n2\n3\n4\n")
    async with goings.opener(read("a.txt", limit=2), DONE) as session:
        await session.say("read")
    async with goings.again(
        write("a.txt", "x"), read("a.txt", offset=3), write("a.txt", "1\n2\n3\n5\n"), DONE
    ) as session:
        await session.say("go")
        assert "was read in part only" in outcomes(session)[0][0]
        assert [failed for _, failed in outcomes(session)] == [True, False, False]


@pytest.mark.asyncio
async def test_a_fork_knows_what_its_source_knew(goings: Goings) -> None:
    goings.opener.write(a="one\n")
    async with goings.opener(read("a.txt"), DONE) as session:
        await session.say("read")
    fork = SessionChoice("last", fork=True)
    async with goings.again(edit("a.txt", "one", "1"), DONE, choice=fork) as session:
        await session.say("edit")
        assert outcomes(session)[0][1] is False
    async with goings.again(edit("a.txt", "1", "eins"), DONE) as session:
        assert session.single.conversation.path.stem != ""
        await session.say("edit")
        assert outcomes(session)[0][1] is False


@pytest.mark.asyncio
async def test_what_was_read_after_the_turn_that_is_taken_back_is_not_known(goings: Goings) -> None:
    goings.opener.write(a="one\n", b="two\n")
    steps = (read("a.txt"), DONE, read("b.txt"), edit("a.txt", "one", "1"), DONE)
    async with goings.opener(*steps) as session:
        await session.say("first")
        await session.say("second")
        await session.single.rewind(2, "both")
        known = dict(session.single.hands.seen.sights)
        assert [path.name for path in known] == ["a.txt"]
        assert (goings.root / "a.txt").read_text() == "one\n"
    async with goings.again() as session:
        assert session.single.hands.seen.sights == known
        assert "since" not in notes(session.single)


@pytest.mark.asyncio
async def test_after_a_summary_the_same_files_are_known(goings: Goings) -> None:
    goings.opener.write(a="one\n")
    async with goings.opener(read("a.txt"), DONE) as session:
        await session.say("read")
        session.single.conversation.compact(session.messages[-1:], session.events[-1].usage, kind="dropped")
        known = dict(session.single.hands.seen.sights)
        assert known
    async with goings.again() as session:
        assert session.single.hands.seen.sights == known


@pytest.mark.asyncio
async def test_the_log_holds_a_digest_and_no_content(goings: Goings) -> None:
    goings.opener.write(a="a line of text\n" * 3)
    async with goings.opener(calls(("Bash", {"command": "cat a.txt"})), read("a.txt"), DONE) as session:
        await session.say("read")
        path = session.single.conversation.path
    records = [line for line in path.read_text().splitlines() if '"type":"seen"' in line]
    assert len(records) == 1
    assert "a line" not in records[0]


@pytest.mark.asyncio
async def test_a_result_that_was_lost_showed_nothing(goings: Goings) -> None:
    """Killed between the reading and its result: the file counts as not read."""
    goings.opener.write(a="one\n")
    async with goings.opener(read("a.txt"), DONE) as session:
        await session.say("read")
        path = session.single.conversation.path
    lines = path.read_text().splitlines(keepends=True)
    result = next(number for number, line in enumerate(lines) if '"type":"result"' in line)
    path.write_text("".join(lines[:result]))
    async with goings.again(write("a.txt", "x"), DONE) as session:
        await session.say("write")
        assert "was not read" in outcomes(session)[0][0]


@pytest.mark.asyncio
async def test_a_log_of_before_and_damaged_sights_go_on_with_nothing_read(goings: Goings) -> None:
    goings.opener.write(a="one\n")
    async with goings.opener(read("a.txt"), DONE) as session:
        await session.say("read")
        path = session.single.conversation.path
    raw = path.read_text()
    sight = next(line for line in raw.splitlines(keepends=True) if '"type":"seen"' in line)
    for other in (
        "",
        '{"type":"seen","files":{"/a\\u0000b":{"digest":"00","whole":true}}}\n',
        '{"type":"seen","files":{"' + str(goings.root) + '/a.txt":{"digest":5}}}\n',
        '{"type":"seen","files":{"'
        + str(goings.root)
        + '/a.txt":{"digest":"00","whole":1,"lines":[[1]]}}}\n',
    ):
        path.write_text(raw.replace(sight, other))
        async with goings.again() as session:
            assert session.single.hands.seen.sights == {}
            assert "since" not in notes(session.single)


@pytest.mark.asyncio
async def test_files_that_may_not_be_read_any_more_are_not_looked_at(goings: Goings, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "a.txt").write_text("one\n")
    also = Flag(("permissions", "additional_directories"), str(beside), "--add-dir")
    async with goings.opener(read(str(beside / "a.txt")), DONE, flags=(ALLOW_ALL, also)) as session:
        await session.say("read")
        assert session.single.hands.seen.sights, outcomes(session)
    (beside / "a.txt").write_text("changed\n")
    async with goings.again() as session:
        assert session.single.hands.seen.sights == {}
        assert "since" not in notes(session.single)


def git(root: Path, *args: str) -> str:
    identity = ("-c", "user.name=Uma", "-c", "user.email=uma@example.com")
    done = subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(goings: Goings) -> str:
    """A repository with one commit, which is returned."""
    git(goings.root, "init", "-q", "-b", "main")
    goings.opener.write(a="one\n")
    git(goings.root, "add", "--all")
    git(goings.root, "commit", "-q", "-m", "start")
    return git(goings.root, "rev-parse", "HEAD")


@pytest.mark.asyncio
async def test_the_header_has_branch_and_commit_and_a_note_what_is_uncommitted(goings: Goings) -> None:
    commit = repository(goings)
    for content, dirty in (("one\n", False), ("two\n", True)):
        goings.opener.write(a=content)
        async with goings.opener(DONE) as session:
            assert session.single.conversation.header.git == {"branch": "main", "commit": commit}
            await session.say("go")
            await session.single.git.said()
            past = replay(session.single.conversation.path)
            assert past.header.git == {"branch": "main", "commit": commit}
            assert past.git == {"branch": "main", "commit": commit, "dirty": dirty}


@pytest.mark.asyncio
async def test_outside_a_repository_there_is_no_git_state(goings: Goings) -> None:
    async with goings.opener(DONE) as session:
        await session.say("go")
        past = replay(session.single.conversation.path)
    assert (past.header.git, past.git) == ({}, {})
    async with goings.again() as session:
        assert "git" not in notes(session.single)


@pytest.mark.asyncio
async def test_another_branch_or_commit_is_told_when_a_session_goes_on(goings: Goings) -> None:
    first = repository(goings)
    async with goings.opener(DONE) as session:
        await session.say("go")
        mine = SessionChoice("named", session=session.single.conversation.header.id)
    async with goings.again() as session:
        assert "git" not in notes(session.single)
    git(goings.root, "commit", "-q", "--allow-empty", "-m", "more")
    git(goings.root, "checkout", "-q", "-b", "feature")
    second = git(goings.root, "rev-parse", "HEAD")
    told = (
        f"git is not where this session left it: branch main, commit {first[:12]} then; "
        f"branch feature, commit {second[:12]} now"
    )
    fork = SessionChoice("last", fork=True)
    async with goings.again(choice=fork) as session:
        assert told in notes(session.single)
        assert session.single.conversation.header.git == {"branch": "feature", "commit": second}
    async with goings.again(DONE, choice=mine) as session:
        assert told in notes(session.single)
        await session.say("go")
    async with goings.again(choice=mine) as session:
        assert "git" not in notes(session.single)


@pytest.mark.asyncio
async def test_what_the_agent_committed_itself_is_no_news(goings: Goings) -> None:
    repository(goings)
    commit = "git -c user.name=U -c user.email=u@example.com commit -q --allow-empty -m mine"
    async with goings.opener(calls(("Bash", {"command": commit})), DONE) as session:
        await session.say("commit")
        assert outcomes(session)[0][1] is False
    async with goings.again() as session:
        assert "git" not in notes(session.single)


def test_head_is_read_wherever_git_keeps_it(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    assert head(root) == {"branch": "main", "commit": ""}
    git(root, "commit", "-q", "--allow-empty", "-m", "start")
    commit = git(root, "rev-parse", "HEAD")
    assert head(root) == {"branch": "main", "commit": commit}
    (root / "sub").mkdir()
    assert head(root / "sub") == head(root)
    git(root, "pack-refs", "--all")
    assert head(root) == {"branch": "main", "commit": commit}
    git(root, "worktree", "add", "-q", "-b", "feature/x", tmp_path / "linked")
    assert head(tmp_path / "linked") == {"branch": "feature/x", "commit": commit}
    git(root, "checkout", "-q", "--detach")
    assert head(root) == {"branch": "", "commit": commit}
    (root / ".git" / "HEAD").unlink()
    os.mkfifo(root / ".git" / "HEAD")
    assert head(root) == {}
    assert head(tmp_path) == {}


@pytest.mark.asyncio
async def test_the_beginning_of_a_session_waits_for_no_git(goings: Goings, tmp_path: Path) -> None:
    """A git that does not answer: the session runs and ends all the same."""
    repository(goings)
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    (slow / "git").chmod(0o755)
    goings.opener.path = f"{slow}:{os.environ['PATH']}"
    async with goings.opener(DONE) as session:
        await session.say("go")
        assert "dirty" not in replay(session.single.conversation.path).git


@pytest.mark.asyncio
async def test_a_session_that_is_only_looked_at_is_not_written(goings: Goings) -> None:
    repository(goings)
    async with goings.opener(DONE) as session:
        await session.say("go")
        path = session.single.conversation.path
    before = path.read_bytes()
    async with goings.again():
        pass
    assert path.read_bytes() == before


def mode(name: str) -> tuple[Flag, ...]:
    return (Flag(("permissions", "mode"), name, "--permission-mode"),)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["plan", "bypassPermissions", "acceptEdits", "dontAsk"])
@pytest.mark.parametrize("fork", [False, True])
async def test_no_mode_outlives_its_run(goings: Goings, name: Mode, fork: bool) -> None:
    async with goings.opener(DONE, DONE, flags=mode(name), finishes=False) as session:
        await session.say("go")
    choice = SessionChoice("last", fork=fork)
    async with goings.again(DONE, choice=choice, flags=()) as session:
        assert session.single.conversation.header.mode == name
        assert session.single.agent.tools.policy.mode == "default"
        assert [event.mode for event in session.seen(SessionStarted)] == ["default"]
        session.single.planning.set_mode(name)
        await session.say("more")
        assert replay(session.single.conversation.path).skipped == 0
    async with goings.again(flags=()) as session:
        assert session.single.agent.tools.policy.mode == "default"


@pytest.mark.asyncio
@pytest.mark.parametrize("fork", [False, True])
async def test_what_was_allowed_for_a_session_is_asked_again(goings: Goings, fork: bool) -> None:
    touch = calls(("Bash", {"command": "touch here"}))
    async with goings.opener(touch, touch, DONE, flags=()) as session:
        running = session.start("go")
        await session.until(lambda: session.seen(PermissionAsked) != [])
        (asked,) = session.seen(PermissionAsked)
        session.approver.answer(asked.question.id, PermissionAnswer(True, scope="session"))
        await running
        assert len(session.seen(PermissionAsked)) == 1
    choice = SessionChoice("last", fork=fork)
    async with goings.again(touch, DONE, choice=choice, flags=()) as session:
        running = session.start("again")
        await session.until(lambda: session.seen(PermissionAsked) != [])
        (asked,) = session.seen(PermissionAsked)
        session.approver.answer(asked.question.id, PermissionAnswer(False))
        await running
        assert [failed for _, failed in outcomes(session)] == [True]


@pytest.mark.asyncio
@pytest.mark.parametrize("fork", [False, True])
async def test_list_and_summary_go_on(goings: Goings, fork: bool) -> None:
    todo = calls(("TodoWrite", {"todos": [{"content": "count the ports", "status": "in_progress"}]}))
    async with goings.opener(todo, DONE, DONE) as session:
        await session.say("go")
        await session.say("more")
        shorter = (user("A summary: the ports are 80 and 443."), *session.messages[-2:])
        session.single.conversation.compact(shorter, Usage(7, 3), kind="summary")
        kept = session.messages
    choice = SessionChoice("last", fork=fork)
    async with goings.again(DONE, choice=choice) as session:
        assert session.messages == kept
        assert session.single.hands.todos.text() == "[>] count the ports"
        await session.say("on")
        sent = session.server.log[0].body["messages"]
        assert "the ports are 80 and 443" in json.dumps(sent[0])
        assert "> go" not in json.dumps(sent)


@pytest.mark.asyncio
async def test_a_session_that_goes_on_keeps_its_plan_and_a_fork_has_its_own(goings: Goings) -> None:
    plan = calls(("ExitPlanMode", {"plan": "1. write a.txt"}))
    async with goings.opener(plan, DONE, flags=mode("plan")) as session:
        await session.say("plan it")
        file = session.single.planning.file
        assert file.read_text() == "1. write a.txt\n"
    async with goings.again(flags=mode("plan")) as session:
        assert session.single.planning.file == file
        assert str(file) in session.single.prompt("x").text
    async with goings.again(flags=mode("plan"), choice=SessionChoice("last", fork=True)) as session:
        assert session.single.planning.file != file
    assert file.read_text() == "1. write a.txt\n"


@pytest.mark.asyncio
async def test_another_working_directory_is_told(goings: Goings) -> None:
    git(goings.root, "init", "-q")
    goings.opener.write(a="one\n")
    async with goings.opener(read("a.txt"), DONE) as session:
        await session.say("go")
    (goings.root / "sub").mkdir()
    async with goings.again(cwd=goings.root / "sub") as session:
        assert f"this session was begun in {goings.root}" in notes(session.single)
        assert session.single.hands.workspace.root == goings.root / "sub"
    async with goings.again() as session:
        assert "was begun in" not in notes(session.single)


@pytest.mark.asyncio
async def test_a_damaged_log_is_told_and_goes_on(goings: Goings) -> None:
    async with goings.opener({"text": "The word is swordfish."}) as session:
        await session.say("go")
        path = session.single.conversation.path
    path.write_bytes(path.read_bytes() + b'{"type":"prompt"}\n\xff\xfe\n{"torn')
    async with goings.again() as session:
        assert "3 damaged lines of the session were left out" in notes(session.single)
        assert session.messages[-1].text == "The word is swordfish."
        await asyncio.to_thread(repair, path)
