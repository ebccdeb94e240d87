"""Asks a member to stop and hears its answer."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from roocode.engine.team import mail
from roocode.engine.team.codec import timestamp
from roocode.engine.team.inbox import settle
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.team import LEAD, ShutdownRequest, ShutdownResponse, TeamMessage

ANSWER_WITHIN_S = 10.0
HURRIED_ANSWER_S = 1.0
LOOK_EVERY_S = 0.02


class Sender(Protocol):
    """Signs and delivers mail of the lead."""

    async def deliver(self, message: TeamMessage) -> str:
        """Returns what came of it."""
        ...


async def ask_to_stop(
    store: TeamStore, name: str, sender: Sender, *, reason: str, deadline_s: float = ANSWER_WITHIN_S
) -> ShutdownResponse | None:
    """Waits until the member is gone, refuses, or `deadline_s` seconds are over; returns its answer, if any.

    The answer is read here, and not by the lead's model.
    """
    lock = store.member_lock(name)
    if not lock.is_held():
        return None
    request = ShutdownRequest(
        id=mail.new_id(), from_=LEAD, to=name, timestamp=timestamp(), summary="please stop", reason=reason
    )
    await sender.deliver(request)
    ends = time.monotonic() + deadline_s
    answer: ShutdownResponse | None = None
    while time.monotonic() < ends:
        alive = lock.is_held()
        answer = answer or await asyncio.to_thread(_answer_to, store, request)
        if not alive or (answer is not None and not answer.approve):
            break
        await asyncio.sleep(LOOK_EVERY_S)
    return answer


def note_stop(store: TeamStore, name: str, reason: str) -> None:
    """Writes down that a member has stopped. A request that it never read has done its work: it is settled,
    since nobody else reads the inbox of a member that does not live."""
    for letter in store.inbox(name).unread():
        if isinstance(letter, ShutdownRequest):
            settle(store, name, letter)
    store.update_member(name, is_active=False, pane_id=None)
    store.record("stopped", name, {"reason": reason})


def _answer_to(store: TeamStore, request: ShutdownRequest) -> ShutdownResponse | None:
    for letter in store.inbox(LEAD).unread():
        if isinstance(letter, ShutdownResponse) and letter.in_reply_to == request.id:
            settle(store, LEAD, letter)
            return letter
    return None
