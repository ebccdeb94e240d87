"""New mail enters an agent's conversation at the start of a loop turn: once, and only after it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

from roocode.engine.loop.limits import Tally
from roocode.engine.team import mail, signing
from roocode.engine.team.framing import frame_mail
from roocode.engine.team.mailbox import Seen
from roocode.engine.team.store.interface import TeamStore
from roocode.protocol.messages import Message, Text, reminder
from roocode.protocol.team import (
    PermissionRequest,
    PermissionResponse,
    ShutdownRequest,
    Task,
    TeamMessage,
)


class MailConversation(Protocol):
    """A conversation that remembers which mail it has taken in."""

    def add_prompt(self, message: Message, mail: tuple[str, ...] = ()) -> None:
        """Stores a user message together with the ids of the mail inside it."""
        ...


class Inbox:
    """The mail of one agent, as a step of its loop.

    A crash between storing and acknowledging gives a second delivery, which the ids make harmless.
    `shutdown` is an open request to stop that the agent has been shown; one from before `since` was meant
    for an earlier life and is void.
    """

    def __init__(
        self,
        store: TeamStore,
        me: str,
        conversation: MailConversation,
        *,
        key: bytes | None = None,
        seen: Iterable[str] = (),
        told: Callable[[Message], None] = lambda _message: None,
        since: str = "",
    ) -> None:
        self.shutdown: ShutdownRequest | None = None
        self._store = store
        self._me = me
        self._mailbox = store.inbox(me)
        self._conversation = conversation
        self._key = key
        self._seen = Seen(seen)
        self._told = told
        self._since = since

    async def __call__(self, _tally: Tally) -> bool:
        """Takes in what is new; True when it brought more than status updates."""
        return await self.take()

    async def take(self, facts: str = "") -> bool:
        """Takes in what is new, behind a reminder of `facts` where given; True when it asks for attention.

        Nothing is added where neither is there.
        """
        fresh, stale, tasks = await asyncio.to_thread(self._look)
        letters = frame_mail(fresh, tasks)
        texts = (*((reminder(facts),) if facts else ()), *((Text(letters),) if letters else ()))
        if texts:
            message = Message("user", texts)
            self._conversation.add_prompt(message, tuple(letter.id for letter in fresh))
            self._told(message)
        if fresh or stale:
            await asyncio.to_thread(self._acknowledge, fresh, stale)
        requests = [letter for letter in fresh if isinstance(letter, ShutdownRequest)]
        self.shutdown = requests[-1] if requests else self.shutdown
        return bool(facts) or any(mail.wakes(letter) for letter in fresh)

    def unread(self) -> tuple[TeamMessage, ...]:
        """What waits to be read: forged or broken mail is quarantined and recorded, never shown."""
        return self._mailbox.unread(self._objection)

    def forget(self, message: TeamMessage) -> None:
        """Acknowledges one message without showing it."""
        self._acknowledge((), (message,))

    def stop_request(self) -> ShutdownRequest | None:
        """An unread request to stop that counts."""
        found = (letter for letter in self.unread() if isinstance(letter, ShutdownRequest))
        return next((letter for letter in found if not self._is_void(letter)), None)

    def _look(self) -> tuple[list[TeamMessage], list[TeamMessage], tuple[Task, ...]]:
        """What is new, what needs no showing, and the tasks that new mail is framed with."""
        fresh, stale = self._sorted(self.unread())
        return fresh, stale, self._store.tasks() if fresh else ()

    def _sorted(self, letters: Iterable[TeamMessage]) -> tuple[list[TeamMessage], list[TeamMessage]]:
        fresh: list[TeamMessage] = []
        stale: list[TeamMessage] = []
        for letter in letters:
            if isinstance(letter, PermissionRequest):
                continue
            silent = isinstance(letter, PermissionResponse) or self._is_void(letter)
            new = not silent and self._seen.first_time(letter)
            (fresh if new else stale).append(letter)
        return fresh, stale

    def _is_void(self, letter: TeamMessage) -> bool:
        return isinstance(letter, ShutdownRequest) and letter.timestamp < self._since

    def _acknowledge(self, fresh: Iterable[TeamMessage], stale: Iterable[TeamMessage]) -> None:
        for letter in fresh:
            _record(self._store, self._me, letter)
            self._mailbox.acknowledge(letter)
        for letter in stale:
            if not self._is_recorded(letter):
                _record(self._store, self._me, letter)
            self._mailbox.acknowledge(letter)

    def _is_recorded(self, letter: TeamMessage) -> bool:
        """Asked only of a second delivery, which follows a crash."""
        last = "message_acted" if mail.wakes(letter) else "message_read"
        return any(r.kind == last and r.detail.get("id") == letter.id for r in self._store.events())

    def _objection(self, letter: TeamMessage) -> str:
        return signing.objection(letter, self._key)


def settle(store: TeamStore, me: str, letter: TeamMessage) -> None:
    """Records that a message was acted on by code, and acknowledges it."""
    _record(store, me, letter)
    store.inbox(me).acknowledge(letter)


def _record(store: TeamStore, me: str, letter: TeamMessage) -> None:
    detail = {"id": letter.id, "type": mail.kind_of(letter), "from": letter.from_}
    store.record("message_read", me, detail)
    if mail.wakes(letter):
        store.record("message_acted", me, detail)
