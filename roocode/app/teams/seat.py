"""The lead's place in its team: lock, socket, mail, conversation and window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from roocode.app.approvers import LocalRules
from roocode.app.teams.ground import Ground
from roocode.app.teams.learned import ruled_by
from roocode.app.teams.staff import Staff
from roocode.app.transcripts import open_transcript
from roocode.engine.loop.steering import Steering
from roocode.engine.team.desk import Desk
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.wake import WakeSocket
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.events import Event, PromptAdded
from roocode.protocol.messages import Message
from roocode.protocol.team import LEAD

NOBODY = "nobody can be asked in a headless run; allow it with a rule or --permission-mode"


@dataclass(slots=True)
class Seat:
    """What a lead holds while it lives, besides its lock. `hearers` are told of each event that it emits."""

    conversation: Conversation
    inbox: Inbox
    steering: Steering
    wake: WakeSocket
    reporter: Reporter
    desk: Desk
    emit: Callable[[Event], None]
    resumed: bool
    hearers: list[Callable[[Event], None]]

    async def leave(self) -> None:
        """Gives the place back."""
        await self.reporter.close()
        await asyncio.to_thread(self.reporter.leave, 0, "the lead has ended")
        await self.wake.close()
        self.conversation.close()


def take(ground: Ground, staff: Staff, show: Callable[[Event], None]) -> Seat:
    """Opens transcript, inbox and wake socket. `show` sees the lead's events and what happens in the team."""
    store = ground.founded.store
    reporter = Reporter(store, LEAD, store.report(LEAD))
    wake = WakeSocket.open(store.inbox(LEAD).directory, ground.env)
    hearers: list[Callable[[Event], None]] = []
    reporter.say("active", wake_socket=str(wake.path))

    def emit(event: Event) -> None:
        if LEAD in (event.agent, event.parent):
            reporter.take(event)
        show(event)
        for hear in hearers:
            hear(event)

    def told(message: Message) -> None:
        emit(PromptAdded(agent=LEAD, message=message))

    before = store.events()
    conversation, past = _conversation(ground)
    seen = past.mail if past else frozenset[str]()
    inbox = Inbox(store, LEAD, conversation, seen=seen, told=told)
    shown = before[-1].seq if past and before else 0
    rules = LocalRules(ground.settings.places)
    nobody = NOBODY if ground.wants.headless else ""
    return Seat(
        conversation=conversation,
        inbox=inbox,
        steering=Steering(conversation, told),
        wake=wake,
        reporter=reporter,
        desk=Desk(
            store,
            inbox,
            staff.post,
            emit,
            after=shown,
            nobody=nobody,
            stores=rules.stores,
            ruled=ruled_by(store, ground.options, staff.learned),
        ),
        emit=emit,
        resumed=past is not None,
        hearers=hearers,
    )


def _conversation(ground: Ground) -> tuple[Conversation, Replayed | None]:
    path = ground.founded.store.root / "transcripts" / f"{LEAD}.jsonl"
    header = Header(
        id=f"{ground.name}-{LEAD}",
        cwd=str(ground.founded.place.main_root),
        model=ground.model_name,
        mode=ground.options.mode,
        system=ground.options.system,
        agent=LEAD,
        name=ground.name,
    )
    return open_transcript(path, header, ground.secrets)
