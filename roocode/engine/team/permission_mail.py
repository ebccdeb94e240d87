"""A teammate's question to the person: mail to the lead's window that waits for a signed answer."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Iterable
from typing import Any, Literal

from roocode.engine.team import mail
from roocode.engine.team.codec import timestamp
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.post import TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.wake import WakeSocket
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.team import LEAD, PermissionRequest, PermissionResponse
from roocode.security.ports import BoundAnswer

LOOK_EVERY_S = 1.0
NOBODY = "no lead is running, so nobody can be asked"
STOPPING = "the lead asks you to stop"
CLOSING = frozenset({"died", "spawned", "restarted", "stopped"})


class AskByMail:
    """The Approver of a teammate whose lead has a person beside it.

    `patience_s` is how long it waits while no lead lives; then the answer is no.
    """

    def __init__(
        self,
        store: TeamStore,
        me: str,
        post: TeamPost,
        inbox: Inbox,
        wake: WakeSocket,
        reporter: Reporter,
        patience_s: float,
    ) -> None:
        self._store = store
        self._me = me
        self._post = post
        self._inbox = inbox
        self._wake = wake
        self._reporter = reporter
        self._patience_s = patience_s

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """Puts the question and waits; the answer counts only when it names this question and its digest."""
        request = self._request(question)
        await self._record("permission_asked", asked_detail(request))
        self._reporter.say("waiting", f"permission {request.id}")
        await self._post.deliver(request)
        try:
            answer = await self._answer(request)
        finally:
            self._reporter.say("active")
        await self._record("permission_answered", answered_detail(request, answer))
        return BoundAnswer(question.id, question.digest, answer)

    async def _answer(self, request: PermissionRequest) -> PermissionAnswer:
        lead_seen = time.monotonic()
        while True:
            for letter in await asyncio.to_thread(self._inbox.unread):
                if not isinstance(letter, PermissionResponse):
                    continue
                await asyncio.to_thread(self._inbox.forget, letter)
                if letter.in_reply_to == request.id and letter.digest == request.digest:
                    return _heard(letter)
            if await asyncio.to_thread(self._inbox.stop_request):
                return PermissionAnswer(False, reason=STOPPING, by="policy")
            if await asyncio.to_thread(self._store.lead_lock().is_held):
                lead_seen = time.monotonic()
            elif time.monotonic() - lead_seen > self._patience_s:
                return PermissionAnswer(False, reason=NOBODY, by="policy")
            await self._wake.wait(LOOK_EVERY_S)

    async def _record(self, kind: str, detail: dict[str, Any]) -> None:
        await asyncio.to_thread(self._store.record, kind, self._me, detail)

    def _request(self, question: PermissionQuestion) -> PermissionRequest:
        return PermissionRequest(
            id=mail.new_id(),
            from_=self._me,
            to=LEAD,
            timestamp=timestamp(),
            summary=f"{self._me} asks for {question.tool}",
            tool=question.tool,
            input=question.input,
            preview=question.preview,
            layer=question.layer,
            reason=question.reason,
            digest=question.digest,
        )


def asked_detail(request: PermissionRequest) -> dict[str, Any]:
    """The record of a question: all that is needed to put it again."""
    fields = ("id", "tool", "input", "preview", "layer", "reason", "digest")
    return {name: getattr(request, name) for name in fields}


def answered_detail(request: PermissionRequest, answer: PermissionAnswer) -> dict[str, Any]:
    """The record of an answer as the asker heard it."""
    return {"id": request.id, "allowed": answer.allowed, "scope": answer.scope, "by": answer.by}


def open_questions(records: Iterable[Record]) -> tuple[PermissionQuestion, ...]:
    """The questions that wait for an answer, from the team's record. Pure.

    A question ends when its asker has heard the answer, and with the asker's life.
    """
    waiting: dict[str, PermissionQuestion] = {}
    for record in records:
        if record.kind == "permission_asked":
            waiting[record.detail["id"]] = _question(record)
        elif record.kind == "permission_answered":
            waiting.pop(record.detail["id"], None)
        elif record.kind in CLOSING:
            waiting = {key: q for key, q in waiting.items() if q.agent != record.member}
    return tuple(waiting.values())


def response_to(question: PermissionQuestion, answer: PermissionAnswer) -> PermissionResponse:
    """The person's answer as mail to the asker, not yet signed."""
    return PermissionResponse(
        id=mail.new_id(),
        from_=LEAD,
        to=question.agent,
        timestamp=timestamp(),
        summary=f"{'yes' if answer.allowed else 'no'} to {question.tool}",
        in_reply_to=question.id,
        decision="allow" if answer.allowed else "deny",
        scope=answer.scope,
        reason=answer.reason,
        digest=question.digest,
    )


def _heard(letter: PermissionResponse) -> PermissionAnswer:
    """What the answer means here: a rule is stored by the lead, and this session follows it too."""
    scope: Literal["once", "session"] = "once" if letter.scope == "once" else "session"
    return PermissionAnswer(letter.decision == "allow", scope, letter.reason)


def _question(record: Record) -> PermissionQuestion:
    fields = {f.name for f in dataclasses.fields(PermissionQuestion)}
    known = {name: value for name, value in record.detail.items() if name in fields}
    return PermissionQuestion(**{**known, "agent": record.member})
