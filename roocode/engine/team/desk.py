"""The lead's window: it shows what happens in the team, and the members' questions to the person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from roocode.engine.team.inbox import Inbox
from roocode.engine.team.permission_mail import open_questions, response_to
from roocode.engine.team.post import TeamPost
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.events import Event, PermissionAnswered, PermissionAsked, TeamEvent
from roocode.protocol.team import LEAD, PermissionRequest


class Desk:
    """Turns new lines of the team's record into events, each once; open questions come from the record too,
    so that a lead that starts again puts them again."""

    def __init__(
        self, store: TeamStore, inbox: Inbox, post: TeamPost, emit: Callable[[Event], None], after: int = 0
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._post = post
        self._emit = emit
        self._last = after
        self._open: dict[str, PermissionQuestion] = {}
        self._looked = False

    async def look(self) -> bool:
        """Emits what is new; True where there was anything."""
        records = await asyncio.to_thread(self._store.events)
        new = [record for record in records if record.seq > self._last]
        for record in new:
            self._emit(
                TeamEvent(
                    agent=record.member or LEAD,
                    kind=record.kind,
                    team=record.team,
                    member=record.member,
                    detail=dict(record.detail),
                )
            )
        self._last = new[-1].seq if new else self._last
        if new or not self._looked:
            self._looked = True
            self._show({question.id: question for question in open_questions(records)})
        for letter in await asyncio.to_thread(self._inbox.unread):
            if isinstance(letter, PermissionRequest):
                await asyncio.to_thread(self._inbox.forget, letter)
        return bool(new)

    async def answer(self, question_id: str, answer: PermissionAnswer) -> PermissionQuestion | None:
        """Sends the person's answer to the asker; None where the question is not open any more."""
        question = self._open.pop(question_id, None)
        if question is None:
            return None
        await self._post.deliver(response_to(question, answer))
        detail = {"id": question_id, "allowed": answer.allowed, "scope": answer.scope, "by": answer.by}
        await asyncio.to_thread(self._store.record, "permission_answered", question.agent, detail)
        self._emit(PermissionAnswered(agent=question.agent, question_id=question_id, answer=answer))
        return question

    def _show(self, found: dict[str, PermissionQuestion]) -> None:
        for key in self._open.keys() - found.keys():
            gone = PermissionAnswer(False, reason="the member does not ask any more", by="policy")
            self._emit(PermissionAnswered(agent=self._open[key].agent, question_id=key, answer=gone))
        for key in found.keys() - self._open.keys():
            self._emit(PermissionAsked(agent=found[key].agent, question=found[key]))
        self._open = found
