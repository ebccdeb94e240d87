"""`roocode team approve` and `deny`: a person's answer from any shell, with a lead or without one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from roocode.engine.team.keyring import Keyring
from roocode.engine.team.open_questions import (
    SHORTEST_ID,
    QuestionClosed,
    groups,
    open_questions,
    short_ids,
    what_became,
)
from roocode.engine.team.permission_mail import give_answer
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.files import FileTeamStore
from roocode.interaction.cli.orders import TeamAnswer
from roocode.interaction.config.places import find_places
from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.terminal.question_text import names
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.errors import UserError
from roocode.protocol.messages import ToolCall
from roocode.protocol.team import LEAD

SHELL = "from a shell"


async def answer(store: FileTeamStore, order: TeamAnswer, env: Mapping[str, str]) -> str:
    """Answers the question, and those that look the same; says for whom.

    The answer is signed with the asker's key from the person's own keyring and put into its inbox, so no lead
    is needed. Raises UserError where the id is unknown, ambiguous or closed, or another answer was first.
    """
    records = await asyncio.to_thread(store.events)
    waiting = [each for each in open_questions(records) if store.member_lock(each.agent).is_held()]
    asked = _meant(order.question, waiting, records)
    if not order.only:
        asked = next(group for group in groups(waiting) if asked[0] in group)
    post = TeamPost(store, LEAD, _powers(store, order.cwd, env))
    said = PermissionAnswer(
        order.allow,
        "session" if order.session else "once",
        order.reason or ("" if order.allow else "the person said no"),
    )
    given, refused = [], []
    for question in asked:
        try:
            await give_answer(post, question, said, SHELL)
            given.append(question)
        except QuestionClosed as closed:
            refused.append(closed)
    if not given:
        raise refused[0]
    call = call_line(ToolCall(given[0].id, given[0].tool, given[0].input))
    lines = [f"{'Approved' if order.allow else 'Denied'} for {names(given)}: {call}"]
    return "\n".join([*lines, *(closed.what for closed in refused)])


def _meant(
    given: str, waiting: Sequence[PermissionQuestion], records: Sequence[Record]
) -> tuple[PermissionQuestion, ...]:
    """The question that an id or its beginning names."""
    found = tuple(each for each in waiting if each.id == given or each.id.startswith(given))
    if len(found) == 1 or any(each.id == given for each in found):
        return tuple(each for each in found if each.id == given) or found
    short = short_ids(waiting)
    known = ", ".join(f"{short[each.id]} ({each.agent})" for each in waiting) or "none"
    if found:
        several = ", ".join(f"{short[each.id]} ({each.agent})" for each in found)
        raise UserError(f"{given} can mean several questions: {several}", "write more of the id")
    closed = {str(r.detail["id"]) for r in records if _names_question(r, given)}
    if len(closed) == 1:
        identifier = closed.pop()
        raise QuestionClosed(f"{given}: {what_became(records, identifier)}", f"questions that wait: {known}")
    raise UserError(f"no question {given} waits in this team", f"questions that wait: {known}")


def _names_question(record: Record, given: str) -> bool:
    identifier = record.detail.get("id")
    is_question = record.kind.startswith("permission_") and isinstance(identifier, str)
    return is_question and len(given) >= SHORTEST_ID and str(identifier).startswith(given)


def _powers(store: FileTeamStore, cwd: Path, env: Mapping[str, str]) -> LeadsPowers:
    keys = Keyring(find_places(cwd, env).home, store.root)
    return LeadsPowers(key_of=keys.of, mode=lambda: "default", revive=_revive)


async def _revive(name: str) -> str:
    return f"{name} does not run any more."
