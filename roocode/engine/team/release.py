"""Frees what a member holds when it is gone, and says from the record how its lives ended."""

from __future__ import annotations

from collections.abc import Iterable

from roocode.engine.team import tasks
from roocode.engine.team.codec import timestamp
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.team import MemberReport, Task

NO_WORD = "its process ended without a word"


def free_tasks(store: TeamStore, name: str, what: str) -> tuple[Task, ...]:
    """Puts the tasks that a member has in progress back on the list; `what` it did: "died", "was stopped"."""
    note = f"{name} {what} while it had this task; what it had committed is on its branch."
    freed = store.change_tasks(lambda now: tasks.release_all(now, name, at=timestamp(), note=note))
    for task in freed:
        store.record("released", name, {"task": task.id, "reason": f"{name} {what}"})
    return freed


def was_at_work(report: MemberReport | None) -> bool:
    """Whether the last life that a member reported ended in the middle of a turn. Pure."""
    if report is None:
        return False
    if report.exit is None:
        return report.state not in ("idle", "stopped")
    return bool(report.exit.get("active"))


def was_asked_to_stop(records: Iterable[Record], name: str) -> bool:
    """Whether a request to stop stands open: written in its last life, and not answered. Pure."""
    asked = False
    for record in records:
        kind = record.detail.get("type") if record.kind == "message_written" else record.kind
        if kind == "shutdown_request" and record.detail.get("to") == name:
            asked = True
        elif record.member == name and kind in ("shutdown_response", "spawned", "restarted"):
            asked = False
    return asked


def has_died(records: Iterable[Record], name: str) -> bool:
    """Whether a member died and was not started again since. Pure."""
    kinds = ("spawned", "restarted", "ready", "stopped", "died")
    lives = [record.kind for record in records if record.member == name and record.kind in kinds]
    return lives[-1:] == ["died"]
