"""The places where members run: started until they answer, and ended with all that is left in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from roocode.engine.team.backends.backend import Backend, Launch
from roocode.engine.team.codec import timestamp
from roocode.engine.team.ready import NotReady, log_tail, until_ready
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.termination import end_holder
from roocode.protocol.errors import HostError
from roocode.protocol.team import Member

READY_WITHIN_S = 30.0


class Preparer(Protocol):
    """Prepares the start of a member: its worktree, its handshake, its command."""

    async def prepare(self, member: Member, prompt: str, *, resumed: bool) -> Launch:
        """Returns what the backend starts. `prompt` is the first user message of this life."""
        ...


class Places:
    """Members on one backend. Whether one lives is asked of its lock, never of its pid or its pane."""

    def __init__(
        self,
        store: TeamStore,
        backend: Backend,
        preparer: Preparer,
        *,
        logs: Path,
        ready_within_s: float = READY_WITHIN_S,
    ) -> None:
        self._store = store
        self._backend = backend
        self._preparer = preparer
        self._logs = logs
        self._ready_within_s = ready_within_s
        self._taken: set[str] = set()
        self._starting: set[str] = set()
        self._one_at_a_time: dict[str, asyncio.Lock] = {}

    @property
    def taken(self) -> frozenset[str]:
        """Members that were started or adopted here, and whose end was not dealt with yet."""
        return frozenset(self._taken)

    @property
    def starting(self) -> frozenset[str]:
        """Members that are being started."""
        return frozenset(self._starting)

    def lives(self, name: str) -> bool:
        """Whether a process holds the member's lock."""
        return self._store.member_lock(name).is_held()

    def adopt(self, name: str) -> None:
        """Counts a member that a lead before this one had started."""
        self._taken.add(name)

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Nobody else starts or ends the member in the block."""
        async with self._one_at_a_time.setdefault(name, asyncio.Lock()):
            yield

    async def start(self, member: Member, prompt: str, *, resumed: bool = False) -> None:
        """Starts a member that does not live, and returns when it is ready.

        Raises HostError; NotReady names the step that failed, and nothing of the start is left then.
        """
        async with self.alone(member.name):
            if self.lives(member.name):
                self.adopt(member.name)
                return
            self._starting.add(member.name)
            try:
                await self._start(member, prompt, resumed=resumed)
            finally:
                self._starting.discard(member.name)

    async def end(self, name: str) -> None:
        """Ends what runs in a member's place, with time to commit its work, and removes the place."""
        self._taken.discard(name)
        await self._backend.end(name)
        await end_holder(self._store.member_lock(name))

    async def close(self) -> None:
        """Removes what the backend made for the team."""
        await self._backend.close()

    def log_tail(self, name: str) -> str:
        """The end of a member's log."""
        return log_tail(self._log(name))

    async def _start(self, member: Member, prompt: str, *, resumed: bool) -> None:
        name = member.name
        await self._record("restarted" if resumed else "spawned", name, {"backend": self._backend.name})
        try:
            pane_id = await self._launch(member, prompt, resumed=resumed)
        except BaseException as error:
            await self.end(name)
            await asyncio.to_thread(self._store.update_member, name, is_active=False, pane_id=None)
            await self._record("died", name, {"reason": str(error) or "its start was cancelled"})
            raise
        await self._record("ready", name, {"pane": pane_id})

    async def _launch(self, member: Member, prompt: str, *, resumed: bool) -> str | None:
        launch = await self._preparer.prepare(member, prompt, resumed=resumed)
        started_at = timestamp()
        try:
            pane_id = await self._open(launch)
            self._taken.add(member.name)
            await asyncio.to_thread(
                self._store.update_member,
                member.name,
                pane_id=pane_id,
                backend_type=self._backend.name,
                spawned_at=started_at,
                is_active=True,
            )
            await until_ready(
                self._store,
                self._backend,
                launch,
                started_at=started_at,
                log=self._log(member.name),
                deadline_s=self._ready_within_s,
            )
        finally:
            launch.handshake.unlink(missing_ok=True)
        return pane_id

    async def _open(self, launch: Launch) -> str | None:
        try:
            return await self._backend.start(launch)
        except HostError as error:
            why = " ".join(str(error).split())
            raise NotReady(launch.member, "pane", why, self.log_tail(launch.member)) from error

    async def _record(self, kind: str, name: str, detail: dict[str, object]) -> None:
        await asyncio.to_thread(self._store.record, kind, name, detail)

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"
