"""What a member's process says of itself, kept up to date: members/<agent>.json."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from typing import Any

from roocode.engine.team.codec import timestamp
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.events import Answered, Event, RoomMade
from roocode.protocol.messages import Usage
from roocode.protocol.team import MemberReport, MemberState

WRITE_EVERY_S = 0.5


class Reporter:
    """Writes a report at once when the state changes, and twice a second at most when only figures do."""

    def __init__(self, store: TeamStore, name: str, before: MemberReport | None = None) -> None:
        self._store = store
        at = timestamp()
        before = before or MemberReport(name=name, pid=0, state="starting")
        self.report = replace(
            before,
            pid=os.getpid(),
            state="starting",
            reason="",
            wake_socket=None,
            started_at=at,
            last_event_at=at,
            exit=None,
        )
        self._lived_before, self._began = before.seconds, time.monotonic()
        self._dirty = False
        self._writer: asyncio.Task[None] | None = None

    def say(self, state: MemberState, reason: str = "", wake_socket: str | None = None) -> None:
        """A new state, on disk when this returns."""
        self.report = replace(
            self.report,
            state=state,
            reason=reason,
            last_event_at=timestamp(),
            wake_socket=wake_socket or self.report.wake_socket,
        )
        self._write()

    def leave(self, code: int, reason: str) -> None:
        """The exit record: the last thing a process says; `active` tells that it was at work."""
        active = self.report.state not in ("idle", "stopped")
        exit_record: dict[str, Any] = {"code": code, "reason": reason, "at": timestamp(), "active": active}
        self.report = replace(self.report, state="stopped", reason=reason, exit=exit_record, wake_socket=None)
        self._write()

    def take(self, event: Event) -> None:
        """Counts an event of the agent, or of one that works for it."""
        self.report = replace(self.report, last_event_at=timestamp())
        if isinstance(event, Answered):
            self._count(event.reply.usage, event.cost_usd, turns=int(event.agent == self.report.name))
        elif isinstance(event, RoomMade) and event.usage.total:
            self._count(event.usage, event.cost_usd)
        self._dirty = True
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_later())

    def now(self) -> MemberReport:
        """The report as it would be written now."""
        return replace(self.report, seconds=self._lived_before + time.monotonic() - self._began)

    def beat(self) -> None:
        """Writes the figures of now: how long it has lived, and what it has used so far."""
        self._write()

    def _count(self, usage: Usage, cost_usd: float | None, *, turns: int = 0) -> None:
        so_far = self.report
        known = so_far.cost_usd is not None and cost_usd is not None
        self.report = replace(
            so_far,
            turns=so_far.turns + turns,
            tokens=so_far.tokens + usage.total,
            input_tokens=so_far.input_tokens + usage.input_tokens,
            output_tokens=so_far.output_tokens + usage.output_tokens,
            cache_read_tokens=so_far.cache_read_tokens + usage.cache_read_tokens,
            cache_write_tokens=so_far.cache_write_tokens + usage.cache_write_tokens,
            cost_usd=(so_far.cost_usd or 0.0) + (cost_usd or 0.0) if known else None,
        )

    async def close(self) -> None:
        """Ends the writer."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait({self._writer})

    async def _write_later(self) -> None:
        await asyncio.sleep(WRITE_EVERY_S)
        if self._dirty:
            self._write()

    def _write(self) -> None:
        self._dirty = False
        self._store.write_report(self.now())
