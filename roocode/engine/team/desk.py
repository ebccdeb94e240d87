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
    """Turns new lines of the team's record into events, each once.

    Open questions come from the record too, so that a lead that starts again puts them again. `nobody` says
    why no person can be asked, where that is so: each question is then answered with no.
    """

    def __init__(
        self,
        store: TeamStore,
        inbox: Inbox,
        post: TeamPost,
        emit: Callable[[Event], None],
        *,
        after: int = 0,
        nobody: str = "",
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._post = post
        self._emit = emit
        self._last = after
        self._nobody = nobody
        self._open: dict[str, PermissionQuestion] = {}
        self._answered: set[str] = set()
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
            await self._put({question.id: question for question in open_questions(records)})
        for letter in await asyncio.to_thread(self._inbox.unread):
            if isinstance(letter, PermissionRequest):
                await asyncio.to_thread(self._inbox.forget, letter)
        return bool(new)

    async def answer(self, question_id: str, answer: PermissionAnswer) -> PermissionQuestion | None:
        """Sends the answer to the asker; None where the question is not open any more. Raises HostError."""
        question = self._open.get(question_id)
        if question is None or question_id in self._answered:
            return None
        self._answered.add(question_id)
        try:
            await self._post.deliver(response_to(question, answer))
        except BaseException:
            self._answered.discard(question_id)
            raise
        self._emit(PermissionAnswered(agent=question.agent, question_id=question_id, answer=answer))
        return question

    async def _put(self, found: dict[str, PermissionQuestion]) -> None:
        """Shows what is open now, and takes back what the asker does not ask any more."""
        gone = [question for key, question in self._open.items() if key not in found]
        new = [question for key, question in found.items() if key not in self._open]
        self._open = found
        for question in gone:
            if question.id not in self._answered:
                void = PermissionAnswer(False, reason="the member does not ask any more", by="policy")
                self._emit(PermissionAnswered(agent=question.agent, question_id=question.id, answer=void))
        for question in new:
            self._emit(PermissionAsked(agent=question.agent, question=question))
            if self._nobody:
                no = PermissionAnswer(False, reason=self._nobody, by="policy")
                await self.answer(question.id, no)
