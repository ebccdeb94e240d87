"""From a started place to a teammate that answers: five steps, each of which can fail and be named."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from roocode.engine.team.backends.backend import Backend, Launch
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.errors import HostError
from roocode.protocol.team import MemberReport

Step: TypeAlias = Literal["pane", "process", "lock", "inbox", "sign of life"]
STEPS: tuple[Step, ...] = get_args(Step)
LOOK_EVERY_S = 0.01
LOOK_AT_PLACE_EVERY_S = 0.25
LOG_LINES = 12

MISSING: dict[Step, str] = {
    "pane": "no place could be opened for it",
    "process": "its process has not taken its handshake",
    "lock": "its process does not hold the member's lock",
    "inbox": "it has not opened its inbox",
    "sign of life": "it has not begun to work",
}


class NotReady(HostError):
    """A member did not become ready; `step` is the first step that was not reached."""

    def __init__(self, member: str, step: Step, why: str, log: str) -> None:
        tail = f"The end of its log:\n{log}" if log else "Its log is empty."
        super().__init__(f"{member} did not start: step {step!r}: {MISSING[step]} ({why}).\n{tail}")
        self.step = step


async def until_ready(
    store: TeamStore, backend: Backend, launch: Launch, *, started_at: str, log: Path, deadline_s: float
) -> None:
    """Waits until the member has taken its place. Raises NotReady after `deadline_s`, or when it is gone.

    `started_at` tells this start from an earlier one: reports before it do not count.
    """
    ends, next_look, gone = time.monotonic() + deadline_s, 0.0, False
    while True:
        step = await asyncio.to_thread(_first_missing, store, launch, started_at)
        if step is None:
            return
        if gone:
            raise NotReady(launch.member, step, "it has ended", log_tail(log))
        now = time.monotonic()
        if now >= ends:
            raise NotReady(launch.member, step, f"waited {deadline_s:.0f} s", log_tail(log))
        if now >= next_look:
            next_look = now + LOOK_AT_PLACE_EVERY_S
            gone = not await backend.is_there(launch.member)
        await asyncio.sleep(LOOK_EVERY_S)


def log_tail(log: Path, lines: int = LOG_LINES) -> str:
    """The last lines of a member's log."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _first_missing(store: TeamStore, launch: Launch, started_at: str) -> Step | None:
    """A report of this start is written under the lock: it shows that the lock was reached."""
    report = _report(store, launch.member, started_at)
    holds_lock = store.member_lock(launch.member).is_held
    checks: tuple[tuple[Step, Callable[[], bool]], ...] = (
        ("process", lambda: not launch.handshake.exists()),
        ("lock", lambda: report is not None or holds_lock()),
        ("inbox", lambda: report is not None and report.wake_socket is not None),
        ("sign of life", lambda: report is not None and report.state != "starting" and holds_lock()),
    )
    return next((step for step, holds in checks if not holds()), None)


def _report(store: TeamStore, member: str, started_at: str) -> MemberReport | None:
    report = store.report(member)
    return report if report is not None and report.started_at >= started_at else None
