"""Looking after members: deaths, restarts, stops, and what happens when several of them meet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team import handshake as handshakes
from roocode.engine.team import mail, signing, tasks
from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.backends.in_process import InProcessBackend
from roocode.engine.team.handshake import Handshake
from roocode.engine.team.places import Places
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.supervisor import Loss, Supervisor
from roocode.protocol.errors import HostError
from roocode.protocol.team import Member, MemberState, ShutdownRequest, ShutdownResponse, Task
from tests.engine.team.on_disk import AT, team_store, text_mail

FACTS = "What you should know."
KEY = signing.new_key()


@dataclass
class Company:
    """A team whose members do what the test says: each life is a coroutine with a real lock and report."""

    store: FileTeamStore
    folder: Path
    lost: list[Loss] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    orders: dict[str, asyncio.Queue[str]] = field(default_factory=dict)
    answer: bool | None = True
    state: MemberState = "ready"
    cannot_start: str = ""
    hold_back: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.hold_back.set()
        backend = InProcessBackend(self.live)
        self.places = Places(self.store, backend, self, logs=self.store.root / "logs", ready_within_s=10)
        self.supervisor = Supervisor(self.store, self.places, self, lost=self.lost.append)
        powers = LeadsPowers(lambda _: KEY, lambda: "default", self.supervisor.revive)
        self.post = TeamPost(self.store, "lead", powers)

    async def prepare(self, member: Member, prompt: str, *, resumed: bool) -> Launch:
        if self.cannot_start and resumed:
            raise HostError(self.cannot_start)
        self.prompts.append(prompt)
        hs = Handshake(team_dir=str(self.store.root), member=member.name, key="00", prompt=prompt)
        return Launch(member.name, (), self.folder, handshakes.write(hs, self.folder))

    async def condition(self, member: Member, freed: tuple[Task, ...], reason: str) -> str:
        await self.hold_back.wait()
        return f"{FACTS} {reason}. {' '.join(task.id for task in freed)}"

    async def live(self, path: Path) -> int:
        name = handshakes.take(path).member
        with self.store.member_lock(name).hold():
            reporter = Reporter(self.store, name)
            reporter.say(self.state, wake_socket="/nowhere")
            orders = self.orders[name] = asyncio.Queue()
            reading = asyncio.create_task(self._answer_requests(name, orders))
            try:
                order = await orders.get()
            finally:
                reading.cancel()
            if order == "leave":
                reporter.leave(0, "shutdown")
            return 0

    async def _answer_requests(self, name: str, orders: asyncio.Queue[str]) -> None:
        while True:
            for letter in self.store.inbox(name).unread():
                if isinstance(letter, ShutdownRequest) and self.answer is not None:
                    self.store.inbox(name).acknowledge(letter)
                    await self._reply(name, letter)
                    if self.answer:
                        orders.put_nowait("leave")
            await asyncio.sleep(0.01)

    async def _reply(self, name: str, request: ShutdownRequest) -> None:
        answer = ShutdownResponse(
            id=mail.new_id(),
            from_=name,
            to="lead",
            timestamp=AT,
            summary="an answer",
            in_reply_to=request.id,
            approve=bool(self.answer),
            reason="" if self.answer else "task 1 is half done",
        )
        await TeamPost(self.store, name).deliver(answer)

    async def start(self, name: str) -> None:
        member = self.store.team().member(name)
        assert member is not None
        await self.supervisor.start(member, "Go.")

    def order(self, name: str, what: str) -> None:
        self.orders[name].put_nowait(what)

    def claim(self, name: str, subject: str) -> None:
        task = self.store.change_tasks(lambda now: tasks.create(now, subject, "", by="lead", at=AT))
        self.store.change_tasks(lambda now: (tasks.claim(now, task.id, by=name, at=AT), None))

    def kinds(self, name: str) -> list[str]:
        return [record.kind for record in self.store.events() if record.member == name]

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(10):
            while not holds():
                self.supervisor.check()
                await asyncio.sleep(0.01)


@asynccontextmanager
async def company(tmp_path: Path, **settings: Any) -> AsyncIterator[Company]:
    """alice and bob on the roster; alice runs and is looked after."""
    them = Company(team_store(tmp_path, "alice", "bob"), tmp_path, **settings)
    await them.start("alice")
    them.supervisor.watch()
    try:
        yield them
    finally:
        them.answer = True
        await them.supervisor.close(them.post, reason="the test ends", deadline_s=5)
    assert not them.store.member_lock("alice").is_held()


@pytest.mark.asyncio
async def test_a_death_frees_tasks_and_starts_again_with_the_facts(tmp_path: Path):
    async with company(tmp_path) as them:
        them.claim("alice", "one")
        them.hold_back.clear()
        them.order("alice", "die")
        await them.until(lambda: not them.supervisor.lives("alice"))
        assert them.supervisor.states()["alice"] == "starting"
        await them.until(lambda: them.store.tasks()[0].status == "pending")
        assert them.supervisor.states()["alice"] == "starting"
        assert not them.supervisor.is_called("alice")
        them.hold_back.set()
        await them.until(lambda: them.supervisor.states()["alice"] == "ready")
        assert them.prompts == ["Go.", f"{FACTS} its process ended without a word. 1"]
        assert them.kinds("alice") == ["spawned", "ready", "died", "released", "restarted", "ready"]
        assert "alice died while it had this task" in str(them.store.tasks()[0].result)
        assert them.lost == []


@pytest.mark.asyncio
async def test_an_idle_one_that_held_nothing_starts_again_without_a_word(tmp_path: Path):
    async with company(tmp_path, state="idle") as them:
        them.order("alice", "die")
        await them.until(lambda: them.kinds("alice").count("ready") == 2)
        them.claim("alice", "one")
        them.order("alice", "die")
        await them.until(lambda: them.kinds("alice").count("ready") == 3)
        assert [prompt[: len(FACTS)] for prompt in them.prompts] == ["Go.", "", FACTS]


@pytest.mark.asyncio
async def test_mail_that_comes_during_a_restart_does_not_take_its_place(tmp_path: Path):
    async with company(tmp_path) as them:
        them.hold_back.clear()
        them.order("alice", "die")
        await them.until(lambda: not them.supervisor.lives("alice"))
        early = await them.post.send("alice", "", "Are you there?")
        await them.until(lambda: "died" in them.kinds("alice"))
        late = await them.post.send("alice", "", "Still there?")
        assert early == late == "alice is being started or stopped; the message waits for it."
        them.hold_back.set()
        await them.until(lambda: them.supervisor.states()["alice"] == "ready")
        assert [prompt[: len(FACTS)] for prompt in them.prompts] == ["Go.", FACTS]


@pytest.mark.asyncio
async def test_after_the_third_death_the_lead_is_told_and_only_new_mail_starts_it(tmp_path: Path):
    async with company(tmp_path) as them:
        them.store.inbox("alice").deliver(text_mail("early", to="alice", sender="bob"))
        for life in (1, 2, 3):
            await them.until(lambda n=life: them.kinds("alice").count("ready") == n)
            them.order("alice", "die")
        await them.until(lambda: them.lost)
        assert them.lost == [Loss("alice", "its process ended without a word")]
        assert them.supervisor.states()["alice"] == "dead"
        assert not them.supervisor.is_called("alice")
        assert "started again" in await them.post.send("alice", "", "Try once more")
        assert them.kinds("alice").count("restarted") == 3


@pytest.mark.asyncio
async def test_one_that_cannot_be_started_again_is_lost_with_the_reason(tmp_path: Path):
    async with company(tmp_path) as them:
        them.claim("alice", "one")
        them.cannot_start = "the disk is full"
        them.order("alice", "die")
        await them.until(lambda: them.lost)
        assert them.lost[0].freed == ("1",)
        assert them.lost[0].reason.count("It could not be started again: the disk is full") == 2
        assert not them.supervisor.lives("alice")


@pytest.mark.asyncio
async def test_one_that_leaves_with_tasks_gives_them_back_and_stays_away(tmp_path: Path):
    async with company(tmp_path) as them:
        them.claim("alice", "one")
        them.store.inbox("alice").deliver(text_mail("before it left", to="alice", sender="bob"))
        them.order("alice", "leave")
        await them.until(lambda: "stopped" in them.kinds("alice"))
        await them.until(lambda: them.store.tasks()[0].status == "pending")
        assert "was stopped while it had this task" in str(them.store.tasks()[0].result)
        alice = them.store.team().member("alice")
        assert alice is not None
        assert (alice.is_active, alice.pane_id) == (False, None)
        await them.until(lambda: not them.supervisor.is_called("alice"))
        await TeamPost(them.store, "bob").send("alice", "", "Come back")
        await them.until(lambda: them.supervisor.states()["alice"] == "ready")
        assert them.prompts == ["Go.", ""]
        assert them.lost == []


@pytest.mark.asyncio
async def test_one_that_a_person_ends_by_force_is_not_started_again(tmp_path: Path):
    async with company(tmp_path, answer=None) as them:
        request = ShutdownRequest(
            id=mail.new_id(), from_="lead", to="alice", timestamp=AT, summary="please stop"
        )
        await them.post.deliver(request)
        them.order("alice", "die")
        await them.until(lambda: "stopped" in them.kinds("alice"))
        assert "died" not in them.kinds("alice")
        assert them.store.inbox("alice").unread() == ()
        acted = [r.detail["id"] for r in them.store.events() if r.kind == "message_acted"]
        assert acted == [request.id]


@pytest.mark.asyncio
async def test_a_stop_wins_over_a_restart(tmp_path: Path):
    async with company(tmp_path) as them:
        them.hold_back.clear()
        them.order("alice", "die")
        await them.until(lambda: "died" in them.kinds("alice"))
        assert await them.supervisor.stop("alice", them.post, reason="no more") is None
        them.hold_back.set()
        assert them.kinds("alice")[-1] == "stopped"
        assert them.supervisor.states()["alice"] == "dead"
        await them.start("bob")
        them.order("bob", "die")
        await them.until(lambda: them.kinds("bob").count("ready") == 2)
        assert not them.supervisor.lives("alice")


@pytest.mark.asyncio
async def test_a_stop_frees_tasks_and_reads_the_answer_itself(tmp_path: Path):
    async with company(tmp_path) as them:
        them.claim("alice", "one")
        assert await them.supervisor.stop("alice", them.post, reason="enough") is None
        assert them.supervisor.states()["alice"] == "stopped"
        assert them.store.tasks()[0].status == "pending"
        assert them.store.inbox("lead").unread() == ()
        acted = [r.detail["type"] for r in them.store.events() if r.kind == "message_acted"]
        assert acted == ["shutdown_response"]
        assert "died" not in them.kinds("alice")


@pytest.mark.asyncio
async def test_a_refusal_is_told_and_the_member_goes_on(tmp_path: Path):
    async with company(tmp_path, answer=False) as them:
        them.claim("alice", "one")
        assert await them.supervisor.stop("alice", them.post, reason="enough") == "task 1 is half done"
        assert them.supervisor.states()["alice"] == "ready"
        assert them.store.tasks()[0].owner == "alice"


@pytest.mark.asyncio
async def test_one_that_does_not_answer_is_ended_after_the_deadline(tmp_path: Path):
    async with company(tmp_path, answer=None) as them:
        assert await them.supervisor.stop("alice", them.post, reason="enough", deadline_s=0.1) is None
        assert not them.supervisor.lives("alice")
        assert them.kinds("alice")[-1] == "stopped"


@pytest.mark.asyncio
async def test_the_end_of_a_run_ends_those_that_refuse_and_leaves_them_their_tasks(tmp_path: Path):
    them = Company(team_store(tmp_path, "alice", "bob"), tmp_path, answer=False)
    await them.start("alice")
    await them.start("bob")
    them.supervisor.watch()
    them.claim("alice", "one")
    await them.supervisor.close(them.post, reason="the run ends", deadline_s=2)
    assert not any(map(them.supervisor.lives, ("alice", "bob")))
    assert them.store.tasks()[0].owner == "alice"
    assert them.kinds("alice")[-1] == them.kinds("bob")[-1] == "stopped"


@pytest.mark.asyncio
async def test_a_watch_that_cannot_go_on_is_told(tmp_path: Path):
    them = Company(team_store(tmp_path, "alice"), tmp_path)
    await them.start("alice")
    them.supervisor.watch()
    roster = (them.store.root / "team.json").read_text()
    (them.store.root / "team.json").write_text("{")
    with pytest.raises(HostError, match=r"team\.json is broken"):
        await them.until(lambda: False)
    (them.store.root / "team.json").write_text(roster)
    await them.supervisor.close(them.post, reason="the test ends", deadline_s=5)
