"""The one object that a team's run ends with, and what `team status --json` prints. Names as in TEAM.md."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from roocode.engine.team.codec import encode
from roocode.engine.team.lead import Outcome
from roocode.engine.team.open_questions import age_s, open_questions, short_ids
from roocode.engine.team.release import NO_WORD
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.interaction.ui import anthropic_shape
from roocode.protocol.messages import Usage
from roocode.protocol.team import LEAD, Budget, Member, MemberReport, MemberState

GONE: frozenset[MemberState] = frozenset({"stopped", "dead"})
EXIT_CODES = {"completed": 0, "incomplete": 1, "conflict": 1, "failed": 1, "budget": 53}


def exit_code(outcome: Outcome) -> int:
    """The exit code of a run; a provider's refusal keeps its own."""
    return EXIT_CODES[outcome.status] if outcome.exit_code is None else outcome.exit_code


def result(
    store: TeamStore, outcome: Outcome, commits: Mapping[str, int], duration_ms: int
) -> dict[str, Any]:
    """The object of a headless run. `commits` counts each member's own commits."""
    team = store.team()
    reports = {name: store.report(name) for name in (LEAD, *(m.name for m in team.members))}
    checked = outcome.verification
    return {
        "team": team.name,
        "status": outcome.status,
        "result": _text(outcome),
        "tasks": [encode(task) for task in store.tasks()],
        "members": [_member(member, reports[member.name], commits) for member in team.members],
        "merged": list(outcome.merged),
        "conflicts": list(outcome.conflicts),
        "verify": {"command": checked.command, "exitCode": checked.exit_code} if checked else None,
        "permissionDenials": list(denials(store.events())),
        "usage": anthropic_shape.usage(_usage(reports.values())),
        "costUsd": _cost(reports.values()),
        "durationMs": duration_ms,
    }


def refused(error: str) -> dict[str, Any]:
    """The object of a run that was refused before there was a team."""
    return {
        "type": "result",
        "is_error": True,
        "team": None,
        "status": "failed",
        "result": error,
        "error": error,
        "tasks": [],
        "members": [],
        "merged": [],
        "conflicts": [],
        "verify": None,
        "permissionDenials": [],
        "usage": anthropic_shape.usage(Usage()),
        "costUsd": 0.0,
        "durationMs": 0,
    }


def status(store: TeamStore, states: Mapping[str, MemberState]) -> dict[str, Any]:
    """The object of `team status --json`: the same members and tasks while the run goes on."""
    team = store.team()
    tasks = store.tasks()
    lead, alive = store.report(LEAD), store.lead_lock().is_held()
    members = []
    for member in team.members:
        report = store.report(member.name)
        state = states.get(member.name, "stopped")
        task = next((t.id for t in tasks if t.owner == member.name and t.status == "in_progress"), None)
        members.append(
            encode(member)
            | {
                "state": state,
                "reason": NO_WORD if state == "dead" else report.reason if report else "",
                "pid": report.pid if report and state not in GONE else None,
                "lastEventAt": report.last_event_at if report else None,
                "task": task,
                "turns": report.turns if report else 0,
                "tokens": report.tokens if report else 0,
                "costUsd": report.cost_usd if report else None,
                "exit": report.exit if report else None,
            }
        )
    return {
        "team": team.name,
        "goal": team.goal,
        "lead": {
            "alive": alive,
            "pid": lead.pid if lead and alive else None,
            "state": lead.state if lead else None,
            "lastEventAt": lead.last_event_at if lead else None,
        },
        "baseBranch": team.base_branch,
        "baseCommit": team.base_commit,
        "integrationBranch": team.integration_branch,
        "members": members,
        "budget": _budget(store.budget()),
        "costUsd": _cost([lead, *(store.report(member.name) for member in team.members)]),
        "tasks": [encode(task) for task in tasks],
        "waitingPermissions": waiting_permissions(store, states),
    }


def waiting_permissions(store: TeamStore, states: Mapping[str, MemberState]) -> list[dict[str, Any]]:
    """The questions that members wait with, oldest first; those with the same `group` look the same."""
    found = [each for each in open_questions(store.events()) if states.get(each.agent) not in GONE]
    short, first, now = short_ids(found), dict[str, str](), time.time()
    return [
        {
            "id": question.id,
            "shortId": short[question.id],
            "group": first.setdefault(question.look, question.id),
            "member": question.agent,
            "askedAt": question.asked_at,
            "ageS": round(age_s(question.asked_at, now)),
            "tool": question.tool,
            "input": dict(question.input),
            "preview": question.preview,
            "directory": question.place or ".",
            "reason": question.reason,
            "layer": question.layer,
            "level": question.level,
            "parts": [asdict(part) for part in question.parts],
            "warnings": list(question.warnings),
        }
        for question in found
    ]


def denials(records: Iterable[Record]) -> Iterable[dict[str, Any]]:
    """Each call that was denied, with who made it."""
    for record in records:
        if record.kind == "permission_denied":
            yield {"member": record.member, **record.detail}


def _member(member: Member, report: MemberReport | None, commits: Mapping[str, int]) -> dict[str, Any]:
    return {
        "name": member.name,
        "branch": member.branch,
        "commits": commits.get(member.name, 0),
        "turns": report.turns if report else 0,
        "tokens": report.tokens if report else 0,
        "costUsd": report.cost_usd if report else None,
        "exit": report.exit if report else None,
    }


def _budget(budget: Budget) -> dict[str, Any] | None:
    """What the whole team may use, or None where nothing limits it."""
    return None if budget == Budget() else encode(budget)


def _text(outcome: Outcome) -> str:
    left = "\n".join(outcome.left)
    return "\n\n".join(part for part in (outcome.text, left) if part)


def _usage(reports: Iterable[MemberReport | None]) -> Usage:
    total = Usage()
    for report in reports:
        if report is not None:
            total += Usage(
                report.input_tokens,
                report.output_tokens,
                report.cache_read_tokens,
                report.cache_write_tokens,
            )
    return total


def _cost(reports: Iterable[MemberReport | None]) -> float | None:
    costs = [report.cost_usd for report in reports if report is not None]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
