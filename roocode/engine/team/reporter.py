"""What a member's process says of itself, kept up to date: members/<agent>.json."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Any

from roocode.engine.team.codec import timestamp
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.events import Answered, Event
from roocode.protocol.team import MemberReport, MemberState

WRITE_EVERY_S = 0.5


class Reporter:
    """Writes a report at once when the state changes, and twice a second at most when only figures do."""

    def __init__(self, store: TeamStore, name: str, before: MemberReport | None = None) -> None:
        self._store = store
        at = timestamp()
        self.report = MemberReport(
            name=name,
            pid=os.getpid(),
            state="starting",
            started_at=at,
            last_event_at=at,
            turns=before.turns if before else 0,
            tokens=before.tokens if before else 0,
            cost_usd=before.cost_usd if before else 0.0,
        )
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
        """The exit record: the last thing a process says."""
        exit_record: dict[str, Any] = {"code": code, "reason": reason, "at": timestamp()}
        self.report = replace(self.report, state="stopped", reason=reason, exit=exit_record, wake_socket=None)
        self._write()

    def take(self, event: Event) -> None:
        """Counts an event of the agent."""
        self.report = replace(self.report, last_event_at=timestamp())
        if isinstance(event, Answered):
            known = self.report.cost_usd is not None and event.cost_usd is not None
            self.report = replace(
                self.report,
                turns=self.report.turns + 1,
                tokens=self.report.tokens + event.reply.usage.total,
                cost_usd=(self.report.cost_usd or 0.0) + (event.cost_usd or 0.0) if known else None,
            )
        self._dirty = True
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_later())

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
        self._store.write_report(self.report)
