"""A teammate's life by itself: without a lead, beside a second one, and asked to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roocode.app.options import AgentOptions
from roocode.app.teammate import live
from roocode.engine.team import naming, signing, tasks
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.store.life_lock import AlreadyHeld
from roocode.interaction.config.providers import ResolvedModel
from roocode.protocol.errors import HostError
from roocode.protocol.team import LEAD, Member, Team
from roocode.scripted.server import ScriptedServer
from roocode.security.sandbox.process import until
from tests.gitrepo import Repo

KEY = signing.new_key()
CLAIM = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "in_progress"}}
COMPLETE = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
WRITE = {"tool": "WriteFile", "input": {"path": "new.txt", "content": "new\n"}}


@dataclass
class Desk:
    """A team with alice in a worktree of her own; nobody leads it."""

    repo: Repo
    store: FileTeamStore
    server: ScriptedServer

    def handshake(self, **options: Any) -> Handshake:
        home = self.repo.env["HOME"]
        model = ResolvedModel("anthropic", "anthropic", self.server.url, "scripted", None, "scripted", "http")
        agent = AgentOptions(
            model=model, system="You are alice.", home=home, state=f"{home}/.roocode", mode="acceptEdits"
        )
        return Handshake(
            team_dir=str(self.store.root),
            member="alice",
            key=KEY.hex(),
            prompt="Do your part.",
            env=self.repo.env,
            options={"agent": agent.to_json(), "ask": "deny", **options},
        )

    def life(self, **options: Any) -> asyncio.Task[int]:
        return asyncio.create_task(live(self.handshake(**options), lambda _event: None))

    def ask_to_stop(self) -> Any:
        powers = LeadsPowers(lambda _: KEY, lambda: "default", _no_revival)
        return TeamPost(self.store, LEAD, powers).send("alice", "", {"type": "shutdown_request"})

    async def until(self, holds: Callable[[], Any]) -> None:
        assert await until(lambda: bool(holds()), 20)

    def report(self) -> Mapping[str, Any]:
        found = self.store.report("alice")
        assert found is not None
        return {"state": found.state, "reason": found.reason, "exit": found.exit}


async def _no_revival(name: str) -> str:
    raise AssertionError(f"{name} lives")


@asynccontextmanager
async def desk(tmp_path: Path, scripted: Callable[..., ScriptedServer], *steps: Any) -> AsyncIterator[Desk]:
    repo = Repo.create(tmp_path)
    repo.env["XDG_RUNTIME_DIR"] = str(tmp_path)
    root = await repo.member("alice")
    store = FileTeamStore(repo.root / naming.TEAMS / "t")
    alice = Member(
        name="alice",
        agent_id="a-t-alice",
        agent_type="teammate",
        model="anthropic/scripted",
        color="cyan",
        worktree_path=str(root),
        branch=naming.member_branch("t", "alice"),
        backend_type="in-process",
    )
    store.create(Team("t", "a-t-lead", "goal", "", "main", repo.head(), "roocode-team/t", (alice,)))
    server = scripted({"agents": {"alice": list(steps)}}, tasks_root=repo.root)
    yield Desk(repo, store, server)


@pytest.mark.asyncio
async def test_without_a_lead_it_finishes_its_task_waits_and_leaves(
    tmp_path: Path, scripted: Callable[..., ScriptedServer]
):
    steps = ({"calls": [CLAIM, WRITE]}, {"calls": [COMPLETE]}, {"text": "Done."})
    async with desk(tmp_path, scripted, *steps) as here:
        add_task(here.store)
        assert await here.life(patience_s=0.3) == 0
        report = here.report()
        assert (report["state"], report["reason"]) == ("stopped", "no lead")
        assert (report["exit"]["code"], report["exit"]["active"]) == (0, False)
        assert here.repo.git("show", "worktree-team-t+alice:new.txt") == "new"
        assert here.store.tasks()[0].status == "completed"
        notices = [r for r in here.store.events() if r.kind == "message_written" and r.detail["to"] == LEAD]
        assert [r.detail["type"] for r in notices] == ["status_update", "idle_notification"]
        assert not here.store.member_lock("alice").is_held()


@pytest.mark.asyncio
async def test_a_second_one_is_refused_and_changes_nothing(
    tmp_path: Path, scripted: Callable[..., ScriptedServer]
):
    async with desk(tmp_path, scripted, {"text": "Done."}) as here:
        first = here.life()
        await here.until(lambda: here.store.report("alice") and here.report()["state"] == "idle")
        before = here.store.report("alice")
        with pytest.raises(AlreadyHeld):
            await here.life()
        assert here.store.report("alice") == before
        await here.ask_to_stop()
        assert await first == 0
        assert here.report()["reason"] == "shutdown"


@pytest.mark.asyncio
async def test_a_model_may_refuse_to_stop_once(tmp_path: Path, scripted: Callable[..., ScriptedServer]):
    """The refusal is the model's own message; the next request is another one."""
    refusal = {
        "type": "shutdown_response",
        "inReplyTo": r"{{ regex('id=\"(m[0-9a-f]+)\"', 1, last.text) }}",
        "approve": False,
        "reason": "half done",
    }
    slow = {"calls": [CLAIM], "wait": {"until": {"tasks": {"1": {"owner": "bob"}}}, "timeout_s": 20}}
    steps = (
        slow,
        {
            "when": {"last_contains": "asks you to stop"},
            "calls": [{"tool": "SendMessage", "input": {"to": "lead", "message": refusal}}],
        },
        {"text": "I go on."},
    )
    async with desk(tmp_path, scripted, *steps) as here:
        add_task(here.store)
        life = here.life()
        await here.until(lambda: here.server.log)
        await here.ask_to_stop()
        give_task_to_bob(here.store)
        await here.until(lambda: here.store.report("alice") and here.report()["state"] == "idle")
        assert not life.done()
        answers = [letter for letter in here.store.inbox(LEAD).unread() if hasattr(letter, "approve")]
        assert [(letter.approve, letter.reason) for letter in answers] == [(False, "half done")]
        await here.ask_to_stop()
        assert await life == 0
        approvals = [
            letter.approve for letter in here.store.inbox(LEAD).unread() if hasattr(letter, "approve")
        ]
        assert approvals == [False, True]


@pytest.mark.asyncio
async def test_a_request_from_an_earlier_life_is_void(
    tmp_path: Path, scripted: Callable[..., ScriptedServer]
):
    async with desk(tmp_path, scripted, {"text": "Done."}) as here:
        held = here.store.member_lock("alice").hold()
        await here.ask_to_stop()
        held.release()
        life = here.life()
        await here.until(lambda: here.store.report("alice") and here.report()["state"] == "idle")
        await here.until(lambda: here.store.inbox("alice").unread() == ())
        assert not life.done()
        assert "asks you to stop" not in str(here.server.log[0].body)
        await here.ask_to_stop()
        assert await life == 0


@pytest.mark.asyncio
async def test_a_cancel_keeps_the_work_and_says_that_it_was_active(
    tmp_path: Path, scripted: Callable[..., ScriptedServer]
):
    never = {"text": "Never.", "wait": {"until": {"all_tasks": "completed"}, "timeout_s": 20}}
    async with desk(tmp_path, scripted, {"calls": [CLAIM, WRITE]}, never) as here:
        add_task(here.store)
        life = here.life()
        await here.until(lambda: len(here.server.log) == 2)
        life.cancel()
        with pytest.raises(asyncio.CancelledError):
            await life
        exit_record = here.report()["exit"]
        assert (exit_record["code"], exit_record["active"]) == (143, True)
        assert here.repo.git("show", "worktree-team-t+alice:new.txt") == "new"


@pytest.mark.asyncio
async def test_without_its_worktree_it_does_not_begin(
    tmp_path: Path, scripted: Callable[..., ScriptedServer]
):
    async with desk(tmp_path, scripted, {"text": "Never."}) as here:
        here.repo.git("worktree", "remove", "--force", "--force", str(here.repo.place("alice").path))
        with pytest.raises(HostError, match="alice"):
            await here.life()
        assert here.report()["exit"]["code"] == 1
        assert here.server.log == []


def add_task(store: FileTeamStore) -> None:
    store.change_tasks(lambda now: tasks.create(now, "one", "", by=LEAD, at=""))


def give_task_to_bob(store: FileTeamStore) -> None:
    store.change_tasks(lambda now: (tasks.assign(now, "1", "bob", by=LEAD, at=""), None))
