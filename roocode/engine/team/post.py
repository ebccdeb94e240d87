"""Sending mail in a team: finds the receivers, signs, delivers, records and wakes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from roocode.engine.team import mail
from roocode.engine.team.mail import Content, MailRefused
from roocode.engine.team.signing import SignedMail, sign
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.wake import poke
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import LEAD, Team, TeamMessage
from roocode.security.isolation.masking import masked

EVERYONE = "*"

Arrival: TypeAlias = Literal["woken", "read soon", "queued"]


class Reviver(Protocol):
    """Starts a stopped member again from its transcript; only the lead has one."""

    async def __call__(self, name: str) -> str:
        """Returns what happened, in words for the sender."""
        ...


@frozen
class LeadsPowers:
    """What only the lead's post can do: sign for a member, pass its mode on, start members again."""

    key_of: Callable[[str], bytes | None]
    mode: Callable[[], str]
    revive: Reviver


class TeamPost:
    """The mail of one agent, `me`, over a team store; `powers` are the lead's."""

    def __init__(self, store: TeamStore, me: str, powers: LeadsPowers | None = None) -> None:
        self._store = store
        self._me = me
        self._powers = powers

    async def send(self, to: str, summary: str, content: Content) -> str:
        """Sends what a model wrote to a name, an agent id or `*`, and says what came of it.

        Raises MailRefused, or HostError where nothing could be written.
        """
        team = await asyncio.to_thread(self._store.team)
        mode = self._powers.mode() if self._powers else "default"
        messages = [
            mail.compose(content, sender=self._me, to=name, summary=summary, permission_mode=mode)
            for name in receivers(team, self._me, to)
        ]
        if len(messages) == 1:
            return await self.deliver(messages[0])
        return "\n".join([await self._deliver_or_say(message) for message in messages])

    async def deliver(self, message: TeamMessage) -> str:
        """Delivers a finished message, without secrets, and says what came of it. Raises HostError."""
        message = self._signed(masked(message, self._store.mask))
        arrival = await asyncio.to_thread(self._put, message)
        if arrival == "queued" and mail.wakes(message):
            if message.to == LEAD:
                return "Queued for lead: no lead is running; `roocode team resume` brings it back."
            if self._powers:
                return await self._powers.revive(message.to)
            return f"Queued for {message.to}, which is not running: the lead starts it again."
        return {
            "woken": f"Delivered to {message.to}.",
            "read soon": f"Delivered to {message.to}, who reads it before its next step.",
            "queued": f"Queued for {message.to}, which is not running.",
        }[arrival]

    async def deliver_if(
        self,
        condition: Callable[[tuple[Record, ...]], None],
        message: TeamMessage,
        kind: str,
        member: str,
        detail: Mapping[str, Any],
    ) -> None:
        """Delivers a message, without secrets, and records it as `kind`, in one step with nothing between.

        `condition` sees the team's record before; what it raises passes through, and nothing is sent. Raises
        MailRefused and HostError.
        """
        message = self._signed(masked(message, self._store.mask))

        def put(records: tuple[Record, ...]) -> None:
            condition(records)
            self._store.inbox(message.to).deliver(message)

        def send() -> None:
            self._store.record_if(put, kind, member, detail)
            self._note(message)
            self._poke(message.to)

        await asyncio.to_thread(send)

    async def _deliver_or_say(self, message: TeamMessage) -> str:
        try:
            return await self.deliver(message)
        except HostError as error:
            return f"Not sent to {message.to}: {error.what}."

    def _put(self, message: TeamMessage) -> Arrival:
        self._store.inbox(message.to).deliver(message)
        self._note(message)
        lock = self._store.lead_lock() if message.to == LEAD else self._store.member_lock(message.to)
        if not lock.is_held():
            if mail.wakes(message):
                self._poke(LEAD)
            return "queued"
        return "woken" if mail.wakes(message) and self._poke(message.to) else "read soon"

    def _note(self, message: TeamMessage) -> None:
        kind = mail.kind_of(message)
        detail = {"id": message.id, "type": kind, "to": message.to, "summary": message.summary}
        self._store.record("message_written", self._me, detail)

    def _poke(self, name: str) -> bool:
        report = self._store.report(name)
        return bool(report and report.wake_socket and poke(report.wake_socket))

    def _signed(self, message: TeamMessage) -> TeamMessage:
        if not isinstance(message, SignedMail):
            return message
        key = self._powers.key_of(message.to) if self._powers else None
        if key is None:
            raise MailRefused(f"There is no key to sign a {mail.kind_of(message)} to {message.to}.")
        return sign(message, key)


def receivers(team: Team, sender: str, to: str) -> tuple[str, ...]:
    """The names that `to` stands for: a name, an agent id, or `*` for everyone but the sender.

    Raises MailRefused, listing the names.
    """
    others = tuple(name for name in (LEAD, *(m.name for m in team.members)) if name != sender)
    if to == EVERYONE:
        if not others:
            raise MailRefused("There is nobody else in the team yet.")
        return others
    member = team.member(to)
    name = LEAD if to in (LEAD, team.lead_agent_id) else member.name if member else None
    if name is None:
        raise MailRefused(f"There is no {to!r} in the team: its names are {', '.join(others) or 'none yet'}.")
    if name == sender:
        raise MailRefused("That is you: a message goes to someone else.")
    return (name,)
