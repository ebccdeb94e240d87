"""The life of a teammate: work, stop, tell the lead, wait for mail, work again, leave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.turn import run
from roocode.engine.team import mail
from roocode.engine.team.codec import timestamp
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.post import TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.wake import WakeSocket, wait_for_mail
from roocode.protocol.errors import HostError
from roocode.protocol.events import RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, reminder
from roocode.protocol.team import LEAD, IdleNotification, ShutdownRequest, ShutdownResponse, Task

LOOK_EVERY_S = 2.0
PATIENCE_S = 600.0
LAST_TEXT = 2000
STILL_OWNED = (
    "You stopped, but you still hold {tasks}. Finish what you can and complete it with TaskUpdate, or give "
    "it back with status pending and say why. If you must wait for somebody, stop again: this is said once."
)

Leave: TypeAlias = Literal["shutdown", "no lead"]


@frozen
class Membership:
    """What connects a teammate's agent with its team. `commit_left` commits what is left in its worktree.

    `patience_s` is how long it waits, idle, while no lead lives: ten minutes, as TEAM.md has it.
    """

    name: str
    store: TeamStore
    post: TeamPost
    inbox: Inbox
    wake: WakeSocket
    reporter: Reporter
    worktree: Path
    commit_left: Callable[[], Awaitable[str]]
    patience_s: float = PATIENCE_S


class Teammate:
    """One agent in a team: the common loop, between waiting for mail and telling the lead."""

    def __init__(self, team: Membership, agent: Agent) -> None:
        self._team = team
        self._agent = agent
        self._completed_before: frozenset[str] = frozenset()

    async def live(self, first: Message | None) -> Leave:
        """Works until it is asked to stop, or no lead comes back; returns why it leaves.

        `first` is the prompt, None where the transcript ends with what is to be answered.
        Raises HostError when the worktree is gone: a new life gets a new one.
        """
        prompt, reminded = first, False
        if prompt is None and not self._has_something_to_answer():
            await self._set_active(False)
            if leave := await self._wait():
                return leave
        while True:
            await self._set_active(True)
            self._require_worktree()
            self._completed_before = frozenset(t.id for t in await self._mine("completed"))
            ended = await run(self._agent, prompt)
            left = await self._team.commit_left()
            if await self._stops():
                return "shutdown"
            held = await self._mine("in_progress")
            if held and not reminded and ended.end == "done":
                reminded = True
                names = ", ".join(f"task {task.id} ({task.subject})" for task in held)
                prompt = Message("user", (reminder(STILL_OWNED.format(tasks=names)),))
                continue
            await self._rest(ended, left)
            leave = await self._wait()
            if leave is not None:
                return leave
            prompt, reminded = None, False

    async def _stops(self) -> bool:
        """Whether a request to stop that the model has seen is followed: it is, unless the model refused."""
        request, self._team.inbox.shutdown = self._team.inbox.shutdown, None
        if request is None:
            return False
        approved = answer_given(self._agent.conversation.messages(), request.id)
        if approved is None:
            await self._agree(request)
        return approved is not False

    def _require_worktree(self) -> None:
        if not self._team.worktree.is_dir():
            raise HostError(f"the worktree {self._team.worktree} is gone")

    def _has_something_to_answer(self) -> bool:
        messages = self._agent.conversation.messages()
        return bool(messages) and messages[-1].role == "user"

    async def _rest(self, ended: RunEnded, left: str) -> None:
        """Marks itself idle and tells the lead."""
        completed = [t.id for t in await self._mine("completed") if t.id not in self._completed_before]
        notice = IdleNotification(
            id=mail.new_id(),
            from_=self._team.name,
            to=LEAD,
            timestamp=timestamp(),
            summary=f"{self._team.name} stopped",
            completed=tuple(completed),
            unfinished=tuple(task.id for task in await self._mine("in_progress")),
            last_text="\n".join(part for part in (ended.text[:LAST_TEXT], ended.reason, left) if part),
        )
        await self._set_active(False, ended.reason)
        await self._team.post.deliver(notice)

    async def _wait(self) -> Leave | None:
        """Waits for mail that gives work; None when there is some, in the conversation already."""
        lead_seen = time.monotonic()
        while True:
            if await wait_for_mail(self._team.store.inbox(self._team.name), self._team.wake, LOOK_EVERY_S):
                if await self._stop_asked():
                    return "shutdown"
                if await self._team.inbox.take():
                    return None
            if await asyncio.to_thread(self._team.store.lead_lock().is_held):
                lead_seen = time.monotonic()
            elif time.monotonic() - lead_seen > self._team.patience_s:
                return "no lead"

    async def _stop_asked(self) -> bool:
        """An idle member needs no model turn to agree to stop."""
        request = await asyncio.to_thread(self._team.inbox.stop_request)
        if request is None:
            return False
        await asyncio.to_thread(self._team.inbox.forget, request)
        await self._agree(request)
        return True

    async def _agree(self, request: ShutdownRequest) -> None:
        answer = ShutdownResponse(
            id=mail.new_id(),
            from_=self._team.name,
            to=LEAD,
            timestamp=timestamp(),
            summary=f"{self._team.name} stops",
            in_reply_to=request.id,
            approve=True,
        )
        await self._team.post.deliver(answer)

    async def _set_active(self, active: bool, reason: str = "") -> None:
        def write() -> None:
            self._team.reporter.say("active" if active else "idle", reason)
            self._team.store.update_member(self._team.name, is_active=active)
            self._team.store.record("active" if active else "idle", self._team.name, {"reason": reason})

        await asyncio.to_thread(write)

    async def _mine(self, status: str) -> list[Task]:
        tasks = await asyncio.to_thread(self._team.store.tasks)
        return [task for task in tasks if task.owner == self._team.name and task.status == status]


def answer_given(messages: Iterable[Message], request_id: str) -> bool | None:
    """How the model itself answered a request to stop with SendMessage; None where it did not. Pure.

    Answers from before the request was shown are answers to another one.
    """
    given, shown = None, False
    for message in messages:
        shown = shown or (message.role == "user" and request_id in message.text)
        for call in message.calls if shown else ():
            sent = (call.arguments or {}).get("message")
            if call.name == "SendMessage" and isinstance(sent, Mapping):
                approve = sent.get("approve") if sent.get("type") == "shutdown_response" else None
                given = approve if isinstance(approve, bool) else given
    return given
