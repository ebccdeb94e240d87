"""Starts members, sees at once when one dies, frees its tasks, and starts it again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from roocode.engine.team import mail, tasks
from roocode.engine.team.backends.backend import Backend, Launch
from roocode.engine.team.codec import timestamp
from roocode.engine.team.ready import log_tail, until_ready
from roocode.engine.team.standing import member_states
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.errors import HostError
from roocode.protocol.team import LEAD, Member, MemberState, ShutdownRequest, Task, TeamMessage

LOOK_EVERY_S = 0.25
READY_WITHIN_S = 30.0
MOST_RESTARTS = 2


class Starter(Protocol):
    """Prepares the start of a member: its worktree, its handshake, its command."""

    async def prepare(self, member: Member, prompt: str, *, resumed: bool) -> Launch:
        """Returns what the backend starts. `prompt` is the first user message of this life."""
        ...

    async def condition(self, member: Member, freed: tuple[Task, ...]) -> str:
        """What a member that died should know when it starts again: tasks, worktree, commits."""
        ...


class Sender(Protocol):
    """Signs and delivers mail of the lead."""

    async def deliver(self, message: TeamMessage) -> str:
        """Returns what came of it."""
        ...


@dataclass(slots=True)
class _Place:
    launch: Launch
    pane_id: str | None


@dataclass(frozen=True, slots=True)
class Loss:
    """A member that died and was not started again."""

    member: str
    reason: str
    freed: tuple[str, ...] = field(default=())


class Supervisor:
    """Owns the processes of a team. Whether one lives is asked of its lock, never of its pid or its pane."""

    def __init__(
        self,
        store: TeamStore,
        backend: Backend,
        starter: Starter,
        *,
        team: str,
        logs: Path,
        lost: Callable[[Loss], None],
        changed: Callable[[], None] = lambda: None,
        ready_within_s: float = READY_WITHIN_S,
    ) -> None:
        self._store = store
        self._backend = backend
        self._starter = starter
        self._team = team
        self._logs = logs
        self._lost = lost
        self._changed = changed
        self._ready_within_s = ready_within_s
        self._places: dict[str, _Place] = {}
        self._restarts: dict[str, int] = {}
        self._starting: set[str] = set()
        self._ending: set[str] = set()
        self._one_at_a_time: dict[str, asyncio.Lock] = {}
        self._watcher: asyncio.Task[None] | None = None
        self._restarting: set[asyncio.Task[None]] = set()
        self._called: dict[str, frozenset[str]] = {}

    def watch(self) -> None:
        """Begins to look after the members."""
        if self._watcher is None:
            self._watcher = asyncio.create_task(self._look_after())

    async def start(self, member: Member, prompt: str, *, resumed: bool = False) -> None:
        """Starts a member and returns when it is ready. Raises HostError that names the step that failed."""
        async with self._lock_of(member.name):
            if self.lives(member.name):
                return
            self._starting.add(member.name)
            try:
                await self._start(member, prompt, resumed=resumed)
            finally:
                self._starting.discard(member.name)

    async def revive(self, name: str, prompt: str = "") -> str:
        """Starts a stopped or dead member from its transcript; says what it came to."""
        member = (await asyncio.to_thread(self._store.team)).member(name)
        if member is None:
            raise HostError(f"there is no member {name}")
        if self.lives(name):
            return f"{name} is running already."
        await self.start(member, prompt, resumed=True)
        return f"{name} was started again with its whole context and has the message."

    def lives(self, name: str) -> bool:
        """Whether its process holds its lock."""
        return self._store.member_lock(name).is_held()

    def adopt(self, member: Member, launch: Launch) -> None:
        """Looks after a member that a lead before this one had started."""
        self._places[member.name] = _Place(launch, member.pane_id)

    def states(self) -> dict[str, MemberState]:
        """The state of each member, by its lock first and its own report second."""
        return member_states(self._store, self._starting)

    async def revive_called(self) -> None:
        """Starts stopped members that have mail which wakes: once for the same mail."""
        for member in (await asyncio.to_thread(self._store.team)).members:
            name = member.name
            if name in self._starting or name in self._ending or name in self._places or self.lives(name):
                continue
            waiting = await asyncio.to_thread(self._store.inbox(name).waking)
            letters = frozenset(os.listdir(self._store.inbox(name).new)) if waiting else frozenset[str]()
            if letters and not letters <= self._called.get(name, frozenset()):
                self._called[name] = letters
                try:
                    await self.revive(name)
                except HostError as error:
                    self._lost(Loss(name, f"it has mail, but cannot be started: {error.what}"))

    async def stop(self, name: str, sender: Sender, *, reason: str, deadline_s: float = 10.0) -> None:
        """Asks a member to stop, then ends what is left of it."""
        self._ending.add(name)
        if self.lives(name):
            request = ShutdownRequest(
                id=mail.new_id(),
                from_=LEAD,
                to=name,
                timestamp=timestamp(),
                summary="please stop",
                reason=reason,
            )
            await sender.deliver(request)
            await self._until_gone(name, deadline_s)
        await self._end_place(name)
        await asyncio.to_thread(self._store.update_member, name, is_active=False)
        await asyncio.to_thread(self._store.record, "stopped", name, {"reason": reason})
        self._ending.discard(name)

    async def close(self, sender: Sender, *, reason: str, deadline_s: float = 10.0) -> None:
        """Stops all members and removes what the backend made."""
        names = [member.name for member in (await asyncio.to_thread(self._store.team)).members]
        self._ending |= set(names)
        if self._watcher is not None:
            for task in (self._watcher, *self._restarting):
                task.cancel()
            await asyncio.wait({self._watcher, *self._restarting})
        there = [name for name in names if self.lives(name) or name in self._places]
        stops = (self.stop(name, sender, reason=reason, deadline_s=deadline_s) for name in there)
        await asyncio.gather(*stops)
        await self._backend.close(self._team)

    async def _start(self, member: Member, prompt: str, *, resumed: bool) -> None:
        launch = await self._starter.prepare(member, prompt, resumed=resumed)
        started_at = timestamp()
        try:
            pane_id = await self._backend.start(launch)
            self._places[member.name] = _Place(launch, pane_id)
            detail: dict[str, object] = {"backend": self._backend.name, "pane": pane_id, "resumed": resumed}
            await asyncio.to_thread(self._note_start, member.name, pane_id, detail)
            await until_ready(
                self._store,
                self._backend,
                launch,
                pane_id,
                started_at=started_at,
                log=self._log(member.name),
                deadline_s=self._ready_within_s,
            )
        except BaseException:
            await self._end_place(member.name)
            raise
        finally:
            launch.handshake.unlink(missing_ok=True)
        await asyncio.to_thread(self._store.record, "ready", member.name, {})

    def _note_start(self, name: str, pane_id: str | None, detail: dict[str, object]) -> None:
        self._store.update_member(
            name, pane_id=pane_id, backend_type=self._backend.name, spawned_at=timestamp(), is_active=True
        )
        self._store.record("restarted" if detail["resumed"] else "spawned", name, detail)

    async def _look_after(self) -> None:
        while True:
            for name in list(self._places):
                if name not in self._starting and name not in self._ending and not self.lives(name):
                    await self._handle_end(name)
            await asyncio.sleep(LOOK_EVERY_S)

    async def _handle_end(self, name: str) -> None:
        place = self._places.pop(name)
        report = await asyncio.to_thread(self._store.report, name)
        await self._backend.end(self._team, name, place.pane_id)
        if report is not None and report.exit and report.exit.get("code") == 0:
            await asyncio.to_thread(self._store.update_member, name, is_active=False)
            await asyncio.to_thread(
                self._store.record, "stopped", name, {"reason": report.exit.get("reason")}
            )
            self._changed()
            return
        reason = (
            str(report.exit.get("reason")) if report and report.exit else "its process ended without a word"
        )
        freed = await asyncio.to_thread(self._release, name, reason)
        self._changed()
        again = asyncio.create_task(self._try_again(name, reason, freed))
        self._restarting.add(again)
        again.add_done_callback(self._restarting.discard)

    def _release(self, name: str, reason: str) -> tuple[Task, ...]:
        note = f"{name} died while it had this task; what it had committed is on its branch."
        freed = self._store.change_tasks(lambda now: tasks.release_all(now, name, at=timestamp(), note=note))
        detail = {"reason": reason, "log": log_tail(self._log(name))}
        self._store.record("died", name, detail)
        for task in freed:
            self._store.record("released", name, {"task": task.id, "reason": f"{name} died"})
        self._store.update_member(name, is_active=False)
        return freed

    async def _try_again(self, name: str, reason: str, freed: tuple[Task, ...]) -> None:
        member = (await asyncio.to_thread(self._store.team)).member(name)
        self._restarts[name] = self._restarts.get(name, 0) + 1
        if member is None:
            return
        if self._restarts[name] > MOST_RESTARTS:
            self._lost(Loss(name, reason, tuple(task.id for task in freed)))
            return
        with contextlib.suppress(HostError):
            prompt = await self._starter.condition(member, freed)
            await self.start(member, prompt, resumed=True)
            return
        self._lost(Loss(name, f"{reason}; it could not be started again", tuple(t.id for t in freed)))

    async def _end_place(self, name: str) -> None:
        place = self._places.pop(name, None)
        if place is not None:
            await self._backend.end(self._team, name, place.pane_id)

    async def _until_gone(self, name: str, deadline_s: float) -> None:
        ends = time.monotonic() + deadline_s
        while time.monotonic() < ends:
            if not self.lives(name):
                return
            await asyncio.sleep(0.02)

    def _lock_of(self, name: str) -> asyncio.Lock:
        return self._one_at_a_time.setdefault(name, asyncio.Lock())

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"
