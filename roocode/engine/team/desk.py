"""The lead's window: it shows what happens in the team, and the members' questions to the person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from roocode.engine.team.inbox import Inbox
from roocode.engine.team.open_questions import DECIDED, QuestionClosed, open_questions, what_became
from roocode.engine.team.permission_mail import give_answer
from roocode.engine.team.post import TeamPost
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion, Store
from roocode.protocol.events import Event, Notice, PermissionAnswered, PermissionAsked, TeamEvent
from roocode.protocol.team import LEAD, PermissionRequest

WINDOW = "from the lead's window"


class Desk:
    """Turns new lines of the team's record into events, each once.

    Open questions come from the record too, so that a lead that starts again puts them again. `nobody` says
    why no person can be asked, where that is so: each question is then answered with no. `stores` are the
    files that an "always" can go to. `ruled` gives the reason for a yes where a rule answers a question that
    its asker could not know yet.
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
        stores: tuple[tuple[Store, str], ...] = (),
        ruled: Callable[[PermissionQuestion], str] = lambda _question: "",
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._post = post
        self._emit = emit
        self._last = after
        self._nobody = nobody
        self._stores = stores
        self._ruled = ruled
        self._open: dict[str, PermissionQuestion] = {}
        self._answered: set[str] = set()
        self._all_put = False

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
        if new or not self._all_put:
            self._all_put = False
            await self._put(open_questions(records), records)
            self._all_put = True
        for letter in await asyncio.to_thread(self._inbox.unread):
            if isinstance(letter, PermissionRequest):
                await asyncio.to_thread(self._inbox.forget, letter)
        return bool(new)

    async def answer(self, question_id: str, answer: PermissionAnswer) -> PermissionQuestion | None:
        """Sends the answer to the asker; None where the question is not open any more, which is said.

        Raises UserError and HostError; it can be answered again then.
        """
        question = self._open.get(question_id)
        if question is None or question_id in self._answered:
            return None
        self._answered.add(question_id)
        try:
            await give_answer(self._post, question, answer, WINDOW)
        except QuestionClosed as closed:
            self._say(f"{question.agent}, {question.tool}: {closed.what.partition(': ')[2]}.")
            return None
        except BaseException:
            self._answered.discard(question_id)
            self._show(question)
            raise
        self._emit(PermissionAnswered(agent=question.agent, question_id=question_id, answer=answer))
        return question

    async def review(self) -> None:
        """Answers what is open and what a rule answers by now."""
        for question in tuple(self._open.values()):
            if question.id not in self._answered:
                await self._answer_by_rule(question)

    async def _put(self, found: Sequence[PermissionQuestion], records: Sequence[Record]) -> None:
        """Shows what is open now, and takes back what is not any more, with the reason.

        A question counts as open once its turn has come: one that a fault or a cancel kept from that is put
        by the next look.
        """
        now = {question.id: question for question in found}
        gone = [question for key, question in self._open.items() if key not in now]
        new = [question for key, question in now.items() if key not in self._open]
        for question in gone:
            del self._open[question.id]
            if question.id not in self._answered:
                self._take_back(question, records)
        for question in new:
            self._open[question.id] = question
            try:
                if await self._answer_by_rule(question):
                    continue
            except BaseException:
                self._open.pop(question.id, None)
                raise
            self._show(question)
            if self._nobody:
                no = PermissionAnswer(False, reason=self._nobody, by="policy")
                await self.answer(question.id, no)

    def _show(self, question: PermissionQuestion) -> None:
        shown = replace(question, stores=self._stores)
        self._emit(PermissionAsked(agent=question.agent, question=shown))

    async def _answer_by_rule(self, question: PermissionQuestion) -> bool:
        reason = await asyncio.to_thread(self._ruled, question)
        if reason and await self.answer(question.id, PermissionAnswer(True, reason=reason, by="policy")):
            self._say(f"{question.agent}, {question.tool}: {reason}.")
        return bool(reason)

    def _take_back(self, question: PermissionQuestion, records: Sequence[Record]) -> None:
        decided = any(r.kind == DECIDED and r.detail.get("id") == question.id for r in records)
        became = what_became(records, question.id)
        void = PermissionAnswer(False, reason=became, by="policy")
        self._emit(PermissionAnswered(agent=question.agent, question_id=question.id, answer=void))
        if decided:
            self._say(f"{question.agent}, {question.tool}: {became}.")

    def _say(self, text: str) -> None:
        self._emit(Notice(agent=LEAD, text=text))
