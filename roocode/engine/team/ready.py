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

WAITING_FOR: dict[Step, str] = {
    "pane": "its pane is gone",
    "process": "its process has not said anything",
    "lock": "its process does not hold the member's lock",
    "inbox": "it has not opened its inbox",
    "sign of life": "it has not begun to work",
}


class NotReady(HostError):
    """A member did not become ready; `step` is the first step that was not reached."""

    def __init__(self, member: str, step: Step, log: str) -> None:
        tail = f"\nThe end of its log:\n{log}" if log else "\nIts log is empty."
        super().__init__(f"{member} did not start: step {step!r}: {WAITING_FOR[step]}.{tail}")
        self.step = step


async def until_ready(
    store: TeamStore,
    backend: Backend,
    launch: Launch,
    pane_id: str | None,
    *,
    started_at: str,
    log: Path,
    deadline_s: float,
) -> None:
    """Waits until the member has taken its place. Raises NotReady after `deadline_s`, or when it died.

    `started_at` tells this start from an earlier one: reports before it do not count.
    """
    ends, next_look = time.monotonic() + deadline_s, 0.0
    step: Step = "process"
    while True:
        step = await asyncio.to_thread(_first_missing, store, launch.member, started_at)
        if step == STEPS[-1] and await asyncio.to_thread(_lives, store, launch.member, started_at):
            return
        now = time.monotonic()
        if now >= next_look:
            next_look = now + LOOK_AT_PLACE_EVERY_S
            if not await backend.is_there(launch, pane_id):
                raise NotReady(launch.member, "pane" if step == "process" else step, log_tail(log))
        if now >= ends:
            raise NotReady(launch.member, step, log_tail(log))
        await asyncio.sleep(LOOK_EVERY_S)


def log_tail(log: Path, lines: int = LOG_LINES) -> str:
    """The last lines of a member's log."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _first_missing(store: TeamStore, member: str, started_at: str) -> Step:
    report = _report(store, member, started_at)
    checks: tuple[tuple[Step, Callable[[], bool]], ...] = (
        ("process", lambda: report is not None),
        ("lock", store.member_lock(member).is_held),
        ("inbox", lambda: report is not None and report.wake_socket is not None),
    )
    return next((step for step, holds in checks if not holds()), "sign of life")


def _lives(store: TeamStore, member: str, started_at: str) -> bool:
    report = _report(store, member, started_at)
    return report is not None and report.state != "starting"


def _report(store: TeamStore, member: str, started_at: str) -> MemberReport | None:
    report = store.report(member)
    return report if report is not None and report.started_at >= started_at else None
