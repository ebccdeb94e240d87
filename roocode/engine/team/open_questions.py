"""Which questions of permission wait for an answer, told from the team's record. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from roocode.engine.team.store.event_log import Record
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.errors import UserError
from roocode.security.permissions.grants import digest

ASKED, DECIDED, HEARD = "permission_asked", "permission_decided", "permission_answered"
CLOSING = frozenset({"died", "spawned", "restarted", "stopped"})
SHORTEST_ID = 6
DISTORTED = "what is shown here is not what would run: it can only be denied"


class QuestionClosed(UserError):
    """No such question waits for an answer (any more); the text says what became of it."""


def open_questions(records: Iterable[Record]) -> tuple[PermissionQuestion, ...]:
    """The questions that wait for an answer, oldest first.

    A question ends when somebody has decided, and with the asker's life. One whose digest is not that of
    its own tool, input and directory carries a warning, and can only be denied.
    """
    waiting: dict[str, PermissionQuestion] = {}
    for record in records:
        if record.kind == ASKED:
            if (question := _question(record)) is not None:
                waiting[question.id] = question
        elif record.kind in (DECIDED, HEARD):
            waiting.pop(str(record.detail.get("id")), None)
        elif record.kind in CLOSING:
            waiting = {key: each for key, each in waiting.items() if each.agent != record.member}
    return tuple(waiting.values())


def is_genuine(question: PermissionQuestion) -> bool:
    """Whether its digest is that of what it shows."""
    return question.digest == digest(question.tool, question.input, question.directory)


def require_open(records: Sequence[Record], question: PermissionQuestion) -> None:
    """Raises QuestionClosed where the question does not wait any more, saying who was first."""
    waiting = {each.id: each.digest for each in open_questions(records)}
    if waiting.get(question.id) != question.digest:
        raise QuestionClosed(f"{question.id}: {what_became(records, question.id)}")


def what_became(records: Sequence[Record], identifier: str) -> str:
    """What became of a question that is not open, in words."""
    about = [record for record in records if record.detail.get("id") == identifier]
    for record in sorted(about, key=lambda record: record.kind != DECIDED):
        if record.kind in (DECIDED, HEARD):
            said = "yes" if record.detail.get("allowed") else "no"
            where, reason = str(record.detail.get("where") or ""), str(record.detail.get("reason") or "")
            if record.kind == DECIDED and not where:
                return f"it has ended with {said}: {reason}"
            return ", ".join(filter(None, ("answered already", said, where, reason)))
    is_known = any(record.kind == ASKED for record in about)
    return "its asker does not wait any more" if is_known else "no such question waits"


def groups(questions: Iterable[PermissionQuestion]) -> tuple[tuple[PermissionQuestion, ...], ...]:
    """Questions that look the same but for who asks, together; in the order of the oldest of each."""
    found: dict[str, list[PermissionQuestion]] = {}
    for question in questions:
        found.setdefault(question.look, []).append(question)
    return tuple(tuple(group) for group in found.values())


def short_ids(questions: Iterable[PermissionQuestion]) -> dict[str, str]:
    """For each id the shortest beginning that names it alone, of SHORTEST_ID letters at least."""
    identifiers = [question.id for question in questions]
    short = {}
    for identifier in identifiers:
        length = SHORTEST_ID
        while length < len(identifier) and sum(i.startswith(identifier[:length]) for i in identifiers) > 1:
            length += 1
        short[identifier] = identifier[:length]
    return short


def age_s(since: str, now: float) -> float:
    """Seconds since a moment (ISO 8601); 0 where that is not known or lies ahead."""
    try:
        return max(now - datetime.fromisoformat(since).timestamp(), 0.0)
    except ValueError:
        return 0.0


def decided_detail(question: PermissionQuestion, answer: PermissionAnswer, where: str) -> dict[str, Any]:
    """The record of a decision, as it is sent; `where` it was made, empty for the asker's own."""
    return {
        "id": question.id,
        "allowed": answer.allowed,
        "scope": answer.scope,
        "by": answer.by,
        "reason": answer.reason,
        "where": where,
    }


def _question(record: Record) -> PermissionQuestion | None:
    try:
        given = {**record.detail, "agent": record.member, "asked_at": record.timestamp}
        question = PermissionQuestion.from_json(given)
    except (TypeError, KeyError, ValueError):
        return None
    if is_genuine(question):
        return question
    return replace(question, level="danger", warnings=(DISTORTED, *question.warnings), proposals=())
