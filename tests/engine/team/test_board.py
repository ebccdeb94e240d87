"""The shared task list as one agent sees it, on real files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from roocode.engine.team.board import TeamBoard
from roocode.engine.team.post import TeamPost
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.tasks import FinishedWork, TaskChange, TaskRefused
from roocode.protocol.errors import HostError
from roocode.protocol.team import StatusUpdate, Task, TaskAssignment
from tests.engine.team.on_disk import AT, team_store

CLAIM, DONE = TaskChange(status="in_progress"), TaskChange(status="completed")


class Diary:
    """A Worktree that writes down what it is asked, and looks at the list meanwhile."""

    def __init__(self, store: FileTeamStore) -> None:
        self.store = store
        self.asked: list[str] = []
        self.failure: HostError | None = None

    async def before_claim(self, task: Task) -> str | None:
        self.asked.append(f"before claim {task.id}, {self.status(task)}")
        return "base"

    async def after_claim(self, task: Task, blockers: Sequence[Task]) -> str:
        self.asked.append(f"after claim {task.id}, {self.status(task)}, {[t.owner for t in blockers]}")
        if self.failure:
            raise self.failure
        return "merged bob's work" if blockers else ""

    async def before_complete(self, task: Task) -> FinishedWork:
        self.asked.append(f"before complete {task.id}, {self.status(task)}")
        return FinishedWork(("a1",), "a1", "1 commit")

    def status(self, task: Task) -> str:
        return next(t.status for t in self.store.tasks() if t.id == task.id)


def board_of(store: FileTeamStore, me: str, worktree: Diary | None = None) -> TeamBoard:
    return TeamBoard(store, TeamPost(store, me), me, worktree, clock=lambda: AT)


@pytest.fixture
def store(tmp_path: Path) -> FileTeamStore:
    return team_store(tmp_path, "alice", "bob")


async def two_tasks(store: FileTeamStore) -> None:
    """2 waits for 1, which bob completed."""
    lead, bob = board_of(store, "lead"), board_of(store, "bob", Diary(store))
    await lead.create("split", "the parser")
    await lead.create("test", "all of it")
    await lead.update("2", TaskChange(add_blocked_by=("1",)))
    await bob.update("1", CLAIM)
    await bob.update("1", DONE)


def kinds(store: FileTeamStore) -> list[str]:
    return [record.kind for record in store.events() if record.kind != "message_written"]


def mail_to(store: FileTeamStore, name: str) -> list[str]:
    return [
        message.text if isinstance(message, StatusUpdate) else type(message).__name__
        for message in store.inbox(name).unread()
    ]


@pytest.mark.asyncio
async def test_a_run_of_two_tasks_is_recorded(store: FileTeamStore):
    await two_tasks(store)
    assert kinds(store) == ["task_created", "task_created", "task_updated", "claimed", "completed"]
    first, second = store.tasks()
    assert (first.status, first.owner, first.claim_base, first.completed_commit, first.result) == (
        "completed",
        "bob",
        "base",
        "a1",
        "1 commit",
    )
    assert (second.blocked_by, second.created_by, second.created_at) == (("1",), "lead", AT)
    assert await board_of(store, "alice").tasks() == (first, second)


@pytest.mark.asyncio
async def test_an_end_is_told_to_the_others_without_waking_them(store: FileTeamStore):
    await two_tasks(store)
    told = ["Task 1 (split) is completed. Not blocked any more: 2."]
    assert [mail_to(store, name) for name in ("lead", "alice", "bob")] == [told, told, []]
    assert not store.inbox("alice").waking()


@pytest.mark.asyncio
async def test_git_work_stands_around_a_claim_and_before_a_completion(store: FileTeamStore):
    await two_tasks(store)
    diary = Diary(store)
    alice = board_of(store, "alice", diary)
    assert (await alice.update("2", CLAIM)).note == "merged bob's work"
    await alice.update("2", DONE)
    assert diary.asked == [
        "before claim 2, pending",
        "after claim 2, in_progress, ['bob']",
        "before complete 2, in_progress",
    ]


@pytest.mark.asyncio
async def test_ones_own_finished_blockers_need_no_merge(store: FileTeamStore):
    await two_tasks(store)
    diary = Diary(store)
    await board_of(store, "bob", diary).update("2", CLAIM)
    assert diary.asked[-1] == "after claim 2, in_progress, []"


@pytest.mark.asyncio
async def test_a_refused_change_does_no_git_work_and_records_nothing(store: FileTeamStore):
    await board_of(store, "lead").create("split", "")
    before, diary = kinds(store), Diary(store)
    alice = board_of(store, "alice", diary)
    with pytest.raises(TaskRefused, match="not yours: claim it again"):
        await alice.update("1", DONE)
    await board_of(store, "bob").update("1", CLAIM)
    with pytest.raises(TaskRefused, match="owned by bob"):
        await alice.update("1", CLAIM)
    assert diary.asked == []
    assert kinds(store) == [*before, "claimed"]


@pytest.mark.asyncio
async def test_a_claim_that_was_interrupted_is_finished_by_claiming_again(store: FileTeamStore):
    await two_tasks(store)
    diary = Diary(store)
    diary.failure = HostError("git is gone")
    alice = board_of(store, "alice", diary)
    with pytest.raises(HostError, match="git is gone"):
        await alice.update("2", CLAIM)
    assert store.tasks()[1].owner == "alice"
    diary.failure = None
    assert (await alice.update("2", CLAIM)).note == "merged bob's work"
    assert kinds(store).count("claimed") == 2


@pytest.mark.asyncio
async def test_completing_again_commits_tells_and_records_nothing(store: FileTeamStore):
    await two_tasks(store)
    before, diary = store.events(), Diary(store)
    assert (await board_of(store, "bob", diary).update("1", DONE)).step == "completed"
    assert (diary.asked, store.events()) == ([], before)


@pytest.mark.asyncio
async def test_an_owner_set_by_the_lead_is_told_by_code(store: FileTeamStore):
    lead = board_of(store, "lead")
    await lead.create("split", "")
    updated = await lead.update("1", TaskChange(owner="agent-alice"))
    assert (updated.step, updated.task.owner, updated.note) == ("assigned", "alice", "")
    (letter,) = store.inbox("alice").unread()
    assert isinstance(letter, TaskAssignment)
    assert letter.task_id == "1"
    assert store.inbox("alice").waking()
    assert mail_to(store, "bob") == []


@pytest.mark.asyncio
async def test_an_owner_who_cannot_be_told_is_named(store: FileTeamStore):
    lead = board_of(store, "lead")
    await lead.create("split", "")
    (store.inbox("alice").directory / "tmp").rmdir()
    updated = await lead.update("1", TaskChange(owner="alice"))
    assert updated.note.startswith("alice was not told: cannot write to the inbox of alice")
    assert store.tasks()[0].owner == "alice"


@pytest.mark.asyncio
async def test_an_unknown_owner_is_an_error_that_lists_the_names(store: FileTeamStore):
    lead = board_of(store, "lead")
    await lead.create("split", "")
    with pytest.raises(TaskRefused, match="no 'mallory' in the team: its names are lead, alice, bob"):
        await lead.update("1", TaskChange(owner="mallory"))
    assert (await lead.update("1", TaskChange(owner="agent-lead"))).task.owner == "lead"


@pytest.mark.asyncio
async def test_a_release_is_told_and_recorded(store: FileTeamStore):
    await board_of(store, "lead").create("split", "")
    bob = board_of(store, "bob")
    await bob.update("1", CLAIM)
    await bob.update("1", TaskChange(status="pending"))
    assert kinds(store)[-1] == "released"
    assert mail_to(store, "alice") == ["Task 1 (split) is pending, released by bob."]
    assert replace(store.tasks()[0], updated_at=AT) == Task(
        "1", "split", created_by="lead", created_at=AT, updated_at=AT
    )
