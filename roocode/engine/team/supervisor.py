"""Sees at once when a member ends; frees the tasks of one that died, and starts it again."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from typing import Any, Protocol

from roocode.engine.team.places import Places
from roocode.engine.team.release import NO_WORD, free_tasks, was_asked_to_stop, was_at_work
from roocode.engine.team.standing import member_states
from roocode.engine.team.stopping import ANSWER_WITHIN_S, Sender, ask_to_stop, note_stop
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import Member, MemberState, Task

LOOK_EVERY_S = 0.25
MOST_RESTARTS = 2


class Historian(Protocol):
    """Knows what a member that starts again should be told."""

    async def condition(self, member: Member, freed: tuple[Task, ...], reason: str) -> str:
        """Why its last life ended, its tasks, worktree and commits. Raises HostError."""
        ...


@frozen
class Loss:
    """A member that died and was not started again."""

    member: str
    reason: str
    freed: tuple[str, ...] = field(default=())


class Supervisor:
    """Looks after the members of a team, at most one thing at a time for each."""

    def __init__(
        self,
        store: TeamStore,
        places: Places,
        historian: Historian,
        *,
        lost: Callable[[Loss], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._places = places
        self._historian = historian
        self._lost = lost
        self._changed = changed
        self._restarts: dict[str, int] = {}
        self._ending: set[str] = set()
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._heard: dict[str, frozenset[str]] = {}
        self._watcher: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def watch(self) -> None:
        """Begins to look after the members."""
        if self._watcher is None:
            self._watcher = asyncio.create_task(self._look_after())
            self._watcher.add_done_callback(self._keep_failure)

    def check(self) -> None:
        """Raises what made looking after the members impossible, if anything did."""
        if self._failure is not None:
            raise self._failure

    async def start(self, member: Member, prompt: str, *, resumed: bool = False) -> None:
        """Starts a member and returns when it is ready. Raises HostError that names the step that failed."""
        await self._places.start(member, prompt, resumed=resumed)

    async def revive(self, name: str) -> str:
        """Starts a stopped or dead member from its transcript; says what it came to. Raises HostError."""
        lives = self.lives(name)
        if name in self._busy() or (name in self._places.taken and not lives):
            return f"{name} is being started or stopped; the message waits for it."
        if lives:
            return f"{name} is running and reads the message before its next step."
        member = (await asyncio.to_thread(self._store.team)).member(name)
        if member is None:
            raise HostError(f"there is no member {name}")
        await self._places.start(member, "", resumed=True)
        return f"{name} was started again with its whole context and has the message."

    def lives(self, name: str) -> bool:
        """Whether its process holds its lock."""
        return self._places.lives(name)

    def adopt(self, name: str) -> None:
        """Looks after a member that a lead before this one had started."""
        self._places.adopt(name)

    def states(self) -> dict[str, MemberState]:
        """The state of each member: one whose end is being dealt with counts as starting."""
        gone = {name for name in self._places.taken - self._ending if not self.lives(name)}
        return member_states(self._store, self._places.starting | self._under_way.keys() | gone)

    def is_called(self, name: str) -> bool:
        """Whether it is stopped or dead, and has mail that starts it again."""
        if name in self._busy() or name in self._places.taken or self.lives(name):
            return False
        mailbox = self._store.inbox(name)
        return not mailbox.waiting() <= self._heard.get(name, frozenset()) and mailbox.waking()

    async def stop(
        self, name: str, sender: Sender, *, reason: str, deadline_s: float = ANSWER_WITHIN_S
    ) -> str | None:
        """Asks a member to stop, ends it where it does not answer in time, and frees its tasks.

        Returns why it refuses, and leaves it alone then.
        """
        await self._drop(name)
        with self._being_ended(name):
            async with self._places.alone(name):
                answer = await ask_to_stop(self._store, name, sender, reason=reason, deadline_s=deadline_s)
                if answer is not None and not answer.approve:
                    return answer.reason or "it gives no reason"
                await self._end(name, reason)
                await asyncio.to_thread(free_tasks, self._store, name, "was stopped")
        return None

    async def close(self, sender: Sender, *, reason: str, deadline_s: float = ANSWER_WITHIN_S) -> None:
        """Stops all members, also those that refuse, and removes what the backend made.

        They keep their tasks: who brings the team back starts them again.
        """
        names = [member.name for member in (await asyncio.to_thread(self._store.team)).members]
        self._ending |= set(names)
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait({self._watcher})
        await asyncio.gather(*(self._drop(name) for name in names))
        there = [name for name in names if self.lives(name) or name in self._places.taken]
        ends = (self._ask_and_end(name, sender, reason, deadline_s) for name in there)
        failed = [error for error in await asyncio.gather(*ends, return_exceptions=True) if error]
        await self._places.close()
        if failed:
            raise failed[0]

    async def _ask_and_end(self, name: str, sender: Sender, reason: str, deadline_s: float) -> None:
        async with self._places.alone(name):
            await ask_to_stop(self._store, name, sender, reason=reason, deadline_s=deadline_s)
            await self._end(name, reason)

    @contextmanager
    def _being_ended(self, name: str) -> Iterator[None]:
        self._ending.add(name)
        try:
            yield
        finally:
            self._ending.discard(name)

    async def _end(self, name: str, reason: str) -> None:
        await self._places.end(name)
        await asyncio.to_thread(self._note_stop, name, reason)

    def _note_stop(self, name: str, reason: str, at: float = math.inf) -> None:
        """Mail from before `at`, seconds since 1970, does not undo the stop."""
        note_stop(self._store, name, reason)
        self._heard[name] = self._store.inbox(name).waiting(at)

    async def _look_after(self) -> None:
        while True:
            for name in self._places.taken - self._busy():
                if not self.lives(name):
                    self._begin(name, self._deal_with_end(name))
            await self._revive_called()
            await asyncio.sleep(LOOK_EVERY_S)

    async def _deal_with_end(self, name: str) -> None:
        report = await asyncio.to_thread(self._store.report, name)
        left = report.exit if report is not None else None
        reason = str(left.get("reason")) if left else NO_WORD
        await self._places.end(name)
        asked = was_asked_to_stop(await asyncio.to_thread(self._store.events), name)
        if asked or (left is not None and left.get("code") == 0):
            at = datetime.fromisoformat(left["at"]).timestamp() if left else time.time()
            await asyncio.to_thread(self._note_stop, name, reason, at)
            await asyncio.to_thread(free_tasks, self._store, name, "was stopped")
        else:
            await self._start_again(name, reason, idle=not was_at_work(report))

    async def _start_again(self, name: str, reason: str, *, idle: bool) -> None:
        """An idle member that held nothing waits for mail again, without a turn of its model."""
        freed = await asyncio.to_thread(self._note_death, name, reason)
        self._changed()
        while self._restarts.get(name, 0) < MOST_RESTARTS:
            self._restarts[name] = self._restarts.get(name, 0) + 1
            member = (await asyncio.to_thread(self._store.team)).member(name)
            if member is None:
                return
            try:
                facts = await self._historian.condition(member, freed, reason)
                await self._places.start(member, "" if idle and not freed else facts, resumed=True)
                return
            except HostError as error:
                reason = f"{reason}. It could not be started again: {error.what}"
        self._heard[name] = await asyncio.to_thread(self._store.inbox(name).waiting)
        self._lost(Loss(name, reason, tuple(task.id for task in freed)))

    def _note_death(self, name: str, reason: str) -> tuple[Task, ...]:
        self._store.record("died", name, {"reason": reason, "log": self._places.log_tail(name)})
        self._store.update_member(name, is_active=False, pane_id=None)
        return free_tasks(self._store, name, "died")

    async def _revive_called(self) -> None:
        """Starts stopped members that have mail which wakes: once for the same mail."""
        for member in (await asyncio.to_thread(self._store.team)).members:
            if await asyncio.to_thread(self.is_called, member.name):
                self._heard[member.name] = self._store.inbox(member.name).waiting()
                self._begin(member.name, self._answer_call(member.name))

    async def _answer_call(self, name: str) -> None:
        member = (await asyncio.to_thread(self._store.team)).member(name)
        if member is None:
            return
        try:
            await self._places.start(member, "", resumed=True)
        except HostError as error:
            self._lost(Loss(name, f"it has mail, but cannot be started: {error.what}"))

    def _busy(self) -> frozenset[str]:
        return self._places.starting | self._ending | self._under_way.keys()

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._under_way[name] = task
        task.add_done_callback(lambda _: self._under_way.pop(name, None))
        task.add_done_callback(self._keep_failure)

    def _keep_failure(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            self._failure = error
        self._changed()

    async def _drop(self, name: str) -> None:
        """Gives up a restart that is under way."""
        task = self._under_way.get(name)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
