"""The life of a lead: split, start, park while others work, wake with a digest, and end when all is done.

While a member is active the lead makes no request. It is woken by mail, by a death, by a task that nobody
will take, or by the person. Whether the team is finished is computed, never taken from the lead's word.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import run
from roocode.engine.team import mail, schedule
from roocode.engine.team.desk import Desk
from roocode.engine.team.framing import digest
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.schedule import Finished
from roocode.engine.team.spending import Account
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.supervisor import Loss, Supervisor
from roocode.engine.team.wake import WakeSocket
from roocode.protocol.events import RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
from roocode.protocol.team import AT_WORK, LEAD, MemberState, PermissionRequest

LOOK_EVERY_S = 1.0
SETTLE_S = 0.05
MOST_REMINDERS = 2
RED = "All is merged, but the result does not pass its check."

Status: TypeAlias = Literal["completed", "incomplete", "conflict", "failed", "budget"]


@frozen
class Verification:
    """What the verify command said: its exit code, and the end of its output for the lead."""

    command: str
    exit_code: int
    tail: str = ""


@frozen
class Outcome:
    """How a team ended: `verification` is None where none ran, `left` is what is left, with its mend.

    `exit_code` is None where the status alone decides it.
    """

    status: Status
    text: str
    merged: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    verification: Verification | None = None
    left: tuple[str, ...] = ()
    landed: str = ""
    exit_code: int | None = None


class Integration(Protocol):
    """The integration worktree, as the lead's life needs it."""

    async def merged(self) -> tuple[str, ...]:
        """Members whose branches are contained as they stand now."""
        ...

    async def merge_open(self) -> tuple[str, ...]:
        """Merges what is open, in order; returns a line for each that conflicts."""
        ...

    async def verify(self) -> Verification | str:
        """Runs the verify command once; a string says why none may run, with the mend."""
        ...

    async def land(self) -> tuple[bool, str]:
        """Moves the person's branch in one step; False and what to do where that is not possible."""
        ...


@dataclass(slots=True)
class LeadTeam:
    """What connects the lead's agent with its team."""

    store: TeamStore
    inbox: Inbox
    wake: WakeSocket
    supervisor: Supervisor
    desk: Desk
    steering: Steering
    integration: Integration
    account: Account
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    losses: list[Loss] = field(default_factory=list)
    merging: bool = True
    commit_left: Callable[[], Awaitable[str]] | None = None


class Lead:
    """One lead over one team."""

    def __init__(self, team: LeadTeam, agent: Agent) -> None:
        self._team = team
        self._agent = agent
        self._reminders = 0
        self._told_stranded: set[str] = set()
        self._last_end: RunEnded | None = None
        self._running: asyncio.Future[RunEnded] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._cancelled = False

    async def lead(self, first: Message | None) -> Outcome:
        """Leads until the team is finished or cannot go on. Members are left as they are."""
        watcher = self._watcher = asyncio.create_task(self._watch())
        watcher.add_done_callback(lambda _: self._team.changed.set())
        self._reminders = 0
        prompt: Message | None = first
        begin = first is not None or bool(self._agent.conversation.messages())
        try:
            while True:
                if begin:
                    self._last_end = await self._run(prompt)
                    if outcome := await self._cut_short(self._last_end):
                        return outcome
                begin, prompt = True, None
                outcome = await self._until_needed()
                if outcome is not None:
                    return outcome
        finally:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
            await self._team.desk.look()

    def cancel(self) -> None:
        """The person's Esc: ends the request or call that goes on, and keeps the team."""
        if self._running is not None:
            self._cancelled = True
            self._running.cancel()

    async def _run(self, prompt: Message | None) -> RunEnded | None:
        self._running = asyncio.ensure_future(run(self._agent, prompt))
        try:
            return await self._running
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            return None
        finally:
            self._running, self._cancelled = None, False
            if self._team.commit_left is not None:
                await self._team.commit_left()

    async def _until_needed(self) -> Outcome | None:
        """Parks; None when the conversation holds something that the lead must answer.

        A member says that it is idle just before it writes its notice: that all rest is believed at the
        second look.
        """
        quiet = False
        while True:
            self._team.changed.clear()
            self._require_watch()
            if self._team.steering.waits:
                return None
            states = await asyncio.to_thread(self._team.supervisor.states)
            news = await self._news(states)
            waiting = await asyncio.to_thread(self._mail_waits)
            if news or waiting:
                if await self._team.inbox.take(await self._digest(news, states)):
                    return None
                continue
            rests = AT_WORK.isdisjoint(states.values())
            if await self._team.account.reached():
                return await self._finish(states) if await self._is_finished(states) else None
            rests = rests and not await asyncio.to_thread(self._is_about_to_wake, states)
            if rests and quiet:
                return await self._judge(states)
            quiet = rests
            await self._wait(SETTLE_S if rests else LOOK_EVERY_S)

    async def _is_finished(self, states: Mapping[str, MemberState]) -> bool:
        return isinstance(await self._progress(states), Finished)

    async def _judge(self, states: Mapping[str, MemberState]) -> Outcome | None:
        """Nobody works and no mail waits: finished, or the lead is reminded, twice at the most."""
        progress = await self._progress(states)
        if isinstance(progress, Finished):
            return await self._finish(states)
        if self._reminders < MOST_REMINDERS:
            await self._remind(("This is not finished:", *progress.reasons), states)
            return None
        conflicts = await self._team.integration.merge_open() if self._team.merging else ()
        progress = await self._progress(states)
        if isinstance(progress, Finished):
            return await self._finish(states)
        status: Status = "conflict" if conflicts else "incomplete"
        return await self._outcome(status, left=progress.reasons, conflicts=conflicts)

    async def _finish(self, states: Mapping[str, MemberState]) -> Outcome | None:
        checked = await self._team.integration.verify()
        if isinstance(checked, str):
            return await self._outcome("incomplete", left=(checked,))
        if checked.exit_code != 0:
            said = f"`{checked.command}` ended with exit code {checked.exit_code}"
            if self._reminders < MOST_REMINDERS:
                await self._remind((RED, f"{said}:", checked.tail), states)
                return None
            return await self._outcome("failed", verification=checked, left=(f"{RED} {said}.",))
        if not self._team.merging:
            return await self._outcome("completed", verification=checked)
        landed, words = await self._team.integration.land()
        if not landed:
            return await self._outcome("incomplete", verification=checked, left=(words,))
        return await self._outcome("completed", verification=checked, landed=words)

    async def _remind(self, lines: Sequence[str], states: Mapping[str, MemberState]) -> None:
        self._reminders += 1
        await self._team.inbox.take(await self._digest("\n".join(lines), states))

    async def _digest(self, news: str, states: Mapping[str, MemberState]) -> str:
        """What the lead is told when it is woken: the news, and how the team stands."""
        tasks = await asyncio.to_thread(self._team.store.tasks)
        return "\n\n".join(part for part in (news, digest((), tasks, states)) if part)

    async def _progress(self, states: Mapping[str, MemberState]) -> schedule.Progress:
        tasks = await asyncio.to_thread(self._team.store.tasks)
        merged = await self._team.integration.merged() if self._team.merging else tuple(states)
        return schedule.finished(tasks, states, merged)

    async def _news(self, states: Mapping[str, MemberState]) -> str:
        """Deaths, and tasks that nobody will take: each is told once."""
        lines = [f"{loss.member} died and was not started again: {loss.reason}" for loss in self._team.losses]
        self._team.losses.clear()
        tasks = await asyncio.to_thread(self._team.store.tasks)
        stranded = schedule.stranded(tasks, states) if states else ()
        new = [task for task in stranded if task.id not in self._told_stranded]
        self._told_stranded = {task.id for task in stranded}
        lines += [
            f"Task {task.id} ({task.subject}) is free, and nobody will take it by itself." for task in new
        ]
        return "\n".join(lines)

    def _mail_waits(self) -> bool:
        letters = self._team.inbox.unread()
        return any(mail.wakes(letter) and not isinstance(letter, PermissionRequest) for letter in letters)

    def _is_about_to_wake(self, states: Mapping[str, MemberState]) -> bool:
        """Whether an idle member has mail that it has not read yet, or a stopped one mail that starts it."""
        store, supervisor = self._team.store, self._team.supervisor
        return any(
            store.inbox(name).waking() if state == "idle" else supervisor.is_called(name)
            for name, state in states.items()
        )

    def _require_watch(self) -> None:
        """Raises what made watching the team impossible: a lead must not go on blind."""
        self._team.supervisor.check()
        if self._watcher is not None and self._watcher.done():
            self._watcher.result()

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._team.changed.wait(), seconds)

    async def _watch(self) -> None:
        """Shows the record as it grows, also while the lead's model answers."""
        while True:
            await asyncio.to_thread(self._team.account.keep_time)
            if await self._team.desk.look():
                self._team.changed.set()
            if await self._team.wake.wait(LOOK_EVERY_S):
                self._team.changed.set()

    async def _cut_short(self, ended: RunEnded | None) -> Outcome | None:
        """A lead whose own run hit a limit or failed ends the team's run; the members stay as they are."""
        if ended is None or ended.end == "done":
            return None
        status: Status = "budget" if ended.end in ("turn_limit", "budget") else "failed"
        outcome = await self._outcome(status, left=(ended.reason, *await self._open_work(status)))
        return replace(outcome, exit_code=ended.exit_code)

    async def _open_work(self, status: Status) -> tuple[str, ...]:
        """What a limit has left undone."""
        if status != "budget":
            return ()
        progress = await self._progress(await asyncio.to_thread(self._team.supervisor.states))
        return () if isinstance(progress, Finished) else progress.reasons

    async def _outcome(
        self,
        status: Status,
        *,
        left: Sequence[str] = (),
        conflicts: tuple[str, ...] = (),
        verification: Verification | None = None,
        landed: str = "",
    ) -> Outcome:
        text = self._last_end.text if self._last_end else ""
        detail = {"status": status, "left": list(left)}
        await asyncio.to_thread(self._team.store.record, "finished", LEAD, detail)
        merged = await self._team.integration.merged()
        return Outcome(status, text, merged, conflicts, verification, tuple(left), landed)
