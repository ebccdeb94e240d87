"""A teammate's question to the person: mail to the lead's window that waits for a signed answer."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from roocode.engine.team import mail
from roocode.engine.team.codec import timestamp
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.open_questions import (
    ASKED,
    DECIDED,
    DISTORTED,
    HEARD,
    QuestionClosed,
    decided_detail,
    is_genuine,
    require_open,
)
from roocode.engine.team.post import TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.wake import WakeSocket
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.duration import in_words
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import LEAD, PermissionRequest, PermissionResponse
from roocode.security.ports import BoundAnswer

LOOK_EVERY_S = 1.0
NOBODY = "no lead is running, so nobody can be asked"
STOPPING = "the lead asks you to stop"
LATE = "nobody answered within {time}"
_FLAT = ("tool", "input", "preview", "layer", "reason", "digest")


@frozen
class Patience:
    """How long a question waits: while no lead lives, and at all (None: as long as a lead lives)."""

    without_lead_s: float
    ask_timeout_s: float | None = None


class AskByMail:
    """The Approver of a teammate whose lead has a person beside it.

    The question has the same id in the mail, in the record and for the guard.
    """

    def __init__(
        self,
        store: TeamStore,
        me: str,
        post: TeamPost,
        inbox: Inbox,
        wake: WakeSocket,
        reporter: Reporter,
        patience: Patience,
    ) -> None:
        self._store = store
        self._me = me
        self._post = post
        self._inbox = inbox
        self._wake = wake
        self._reporter = reporter
        self._patience = patience

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        """Puts the question and waits; the answer counts only when it names this question and its digest."""
        request = request_of(question, self._me)
        await self._record(ASKED, asked_detail(request))
        self._reporter.say("waiting", f"permission {request.id}")
        await self._post.deliver(request)
        try:
            answer = await self._answer(request, replace(question, agent=self._me))
        finally:
            self._reporter.say("active")
        await self._record(HEARD, answered_detail(request, answer))
        return BoundAnswer(question.id, question.digest, answer)

    async def _answer(self, request: PermissionRequest, question: PermissionQuestion) -> PermissionAnswer:
        asked = lead_seen = time.monotonic()
        while True:
            if heard := await self._hear(request):
                return heard
            if await asyncio.to_thread(self._store.lead_lock().is_held):
                lead_seen = time.monotonic()
            if reason := await self._why_no(asked, lead_seen):
                no = PermissionAnswer(False, reason=reason, by="policy")
                if await asyncio.to_thread(self._close, question, no):
                    return no
            await self._wake.wait(self._next_look(asked))

    async def _hear(self, request: PermissionRequest) -> PermissionAnswer | None:
        for letter in await asyncio.to_thread(self._inbox.unread):
            if not isinstance(letter, PermissionResponse):
                continue
            await asyncio.to_thread(self._inbox.forget, letter)
            if letter.in_reply_to == request.id and letter.digest == request.digest:
                return _heard(letter)
        return None

    async def _why_no(self, asked: float, lead_seen: float) -> str:
        """Why nobody is waited for any longer, or ""."""
        now, limit = time.monotonic(), self._patience.ask_timeout_s
        if await asyncio.to_thread(self._inbox.stop_request):
            return STOPPING
        if limit is not None and now - asked >= limit:
            return LATE.format(time=in_words(limit))
        return NOBODY if now - lead_seen > self._patience.without_lead_s else ""

    def _next_look(self, asked: float) -> float:
        limit = self._patience.ask_timeout_s
        left = LOOK_EVERY_S if limit is None else asked + limit - time.monotonic()
        return min(LOOK_EVERY_S, max(left, 0.0))

    def _close(self, question: PermissionQuestion, answer: PermissionAnswer) -> bool:
        """Takes the question back; False where somebody has just decided it, so that mail is on its way."""

        def still_open(records: tuple[Record, ...]) -> None:
            require_open(records, question)

        try:
            self._store.record_if(still_open, DECIDED, self._me, decided_detail(question, answer, ""))
        except QuestionClosed:
            return False
        return True

    async def _record(self, kind: str, detail: dict[str, Any]) -> None:
        await asyncio.to_thread(self._store.record, kind, self._me, detail)


async def give_answer(
    post: TeamPost, question: PermissionQuestion, answer: PermissionAnswer, where: str
) -> None:
    """Sends an answer to the asker, signed: the first of several, from whatever window or shell they come.

    Raises QuestionClosed where another was first or the asker does not wait any more, UserError for a yes to
    a question that does not show what would run, MailRefused without the asker's key, HostError.
    """
    if answer.allowed and not is_genuine(question):
        raise UserError(f"{question.id}: {DISTORTED}")

    def still_open(records: tuple[Record, ...]) -> None:
        require_open(records, question)

    detail = decided_detail(question, answer, where)
    await post.deliver_if(still_open, response_to(question, answer), DECIDED, question.agent, detail)


def request_of(question: PermissionQuestion, me: str) -> PermissionRequest:
    """The question as mail to the lead's window."""
    facts = question.to_json()
    flat = {name: facts.pop(name) for name in _FLAT}
    for name in ("id", "agent", "asked_at", "stores"):
        facts.pop(name)
    return PermissionRequest(
        id=question.id,
        from_=me,
        to=LEAD,
        timestamp=timestamp(),
        summary=f"{me} asks for {question.tool}",
        facts=facts,
        **flat,
    )


def asked_detail(request: PermissionRequest) -> dict[str, Any]:
    """The record of a question: all that is needed to put it again."""
    return {**request.facts, "id": request.id, **{name: getattr(request, name) for name in _FLAT}}


def answered_detail(request: PermissionRequest, answer: PermissionAnswer) -> dict[str, Any]:
    """The record of an answer as the asker heard it."""
    return {"id": request.id, "allowed": answer.allowed, "scope": answer.scope, "by": answer.by}


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
        by=answer.by,
        rules=answer.rules if answer.stored else (),
        stored=answer.stored,
        digest=question.digest,
    )


def _heard(letter: PermissionResponse) -> PermissionAnswer:
    """What the answer means here: rules that the lead has stored hold in this session too."""
    scope = "session" if letter.scope == "always" and not letter.stored else letter.scope
    return PermissionAnswer(
        letter.decision == "allow",
        scope,
        letter.reason,
        letter.by,
        rules=letter.rules,
        stored=letter.stored,
    )
