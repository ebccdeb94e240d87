"""A whole session in one process whose every step may be the one at which it is cancelled.

The loop, guard, room, steering, conversation and log are the real ones; model and tools take their steps
where a test says so. What the model is sent goes through the checks of a strict provider of each protocol.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.app import read_files
from roocode.app.making_room import room_of
from roocode.engine.loop.agent import Agent, Brain
from roocode.engine.loop.limits import Limits
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import run
from roocode.engine.models.anthropic import AnthropicWire
from roocode.engine.models.openai_chat import ChatWire
from roocode.engine.models.openai_responses import ResponsesWire
from roocode.engine.models.profiles import profile_of
from roocode.interaction.config.settings import ContextSettings
from roocode.memory.compaction.size import tokens_of
from roocode.memory.sessions.checkup import check
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion
from roocode.protocol.errors import ProviderBusy, WindowExceeded
from roocode.protocol.events import CallBegan, CallFinished, Event
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments, ToolCall, Usage, user
from roocode.protocol.models import (
    CallArguments,
    CallEnded,
    CallStarted,
    Finished,
    ModelInfo,
    ModelRequest,
    Retrying,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)
from roocode.protocol.tools import Tool, ToolOutcome, ToolSpec, Touches, Workspace
from roocode.scripted.anthropic import strict as anthropic_strict
from roocode.scripted.openai import strict as openai_strict
from roocode.scripted.responses import strict as responses_strict
from roocode.security.guard import BeforeCall, BoundAnswer, guard
from roocode.security.permissions.policy import Policy
from roocode.security.sandbox.files import SafeFiles
from roocode.tools.registry import Services, build
from roocode.tools.seen import Seen
from roocode.tools.todos import Todos, from_json
from tests.engine.models.wires import endpoint

INFO = ModelInfo("anthropic", "m-1", 6_000, 1_000, 1.0, 1.0)
FRAME = 400
"""Tokens that the model counts for system prompt and tools."""
LONG = "a line of what it found\n" * 60
WIRES = (
    (AnthropicWire(endpoint("anthropic"), profile_of(endpoint("anthropic")), None), anthropic_strict),
    (ChatWire(endpoint("openai"), profile_of(endpoint("openai")), None), openai_strict),
    (
        ResponsesWire(endpoint("openai-responses"), profile_of(endpoint("openai-responses")), None),
        responses_strict,
    ),
)


@frozen
class Said:
    """An answer of the model: words, calls by the name of their tool, or a failure instead."""

    text: str = ""
    thinking: bool = False
    calls: tuple[str, ...] = ()
    fault: str = ""


@frozen
class Told:
    """A prompt, the answers to it, the step at which it is cancelled, and words that come in between."""

    answers: tuple[Said, ...]
    cut: int | None = None
    between: bool = False


class Steps:
    """Counts the places at which a run may be cancelled, and cancels it at one of them."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.running: asyncio.Task[Any] | None = None

    async def __call__(self) -> None:
        """Such a place."""
        if self.left is not None and self.running is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                self.running.cancel()
        await asyncio.sleep(0)


@dataclass
class Work:
    """A tool that takes three steps. `fails` ends its batch, `alone` runs by itself."""

    name: str
    step: Steps
    fails: bool = False
    alone: bool = True

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "Works.", {"type": "object", "properties": {}})

    def complaint(self, arguments: Arguments) -> str:
        return ""

    def touches(self, arguments: Arguments) -> Touches:
        return Touches(other=True)

    def runs_alongside(self, arguments: Arguments) -> bool:
        return not self.alone

    def preview(self, arguments: Arguments) -> str:
        return ""

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        for _ in range(3):
            await self.step()
        return ToolOutcome("" if self.fails else LONG, is_error=self.fails, ends_batch=self.fails)


ARGUMENTS = {
    "ReadFile": '{"path": "a.txt"}',
    "TodoWrite": '{"todos": [{"content": "go on", "status": "pending"}]}',
    "Broken": "{oops",
}


class Model:
    """Implements ModelClient: plays answers, one event a step, and checks what it is sent."""

    def __init__(self, step: Steps) -> None:
        self.answers: list[Said] = []
        self.complaints: list[str] = []
        self._step = step
        self._number = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamEvent | Retrying]:
        self.complaints += complaints(request)
        await self._step()
        is_summary = request.headers.get("X-RooCode-Agent", "").endswith("/summary")
        said = Said("A summary.") if is_summary else self.answers.pop(0) if self.answers else Said("Done.")
        if said.fault == "window":
            raise WindowExceeded("too long")
        for event in self._events(said):
            yield event
            await self._step()
        if said.fault == "busy":
            raise ProviderBusy("overloaded")
        yield UsageReported(Usage(FRAME + tokens_of(request.messages), 10))
        yield Finished("tools" if said.calls else "end", "m-1", INFO.full_name)

    def _events(self, said: Said) -> Iterator[StreamEvent]:
        if said.thinking:
            yield ThinkingDelta("I think.")
        for piece in (said.text[:3], said.text[3:]):
            if piece:
                yield TextDelta(piece)
        for slot, name in enumerate(said.calls):
            self._number += 1
            yield CallStarted(slot, f"call{self._number % 7}", name)
            yield CallArguments(slot, ARGUMENTS.get(name, "{}"))
            yield CallEnded(slot)

    async def close(self) -> None: ...


def complaints(request: ModelRequest) -> list[str]:
    """What strict providers say of a request."""
    found: list[str] = []
    for wire, strict in WIRES:
        body = json.loads(wire.body(request))
        more = (wire.headers(),) if strict is anthropic_strict else ()
        found += strict.complaints(body, *more)
    return found


class Stand:
    """Implements what the guard needs of others: it says yes, after a step."""

    def __init__(self, step: Steps) -> None:
        self._step = step

    async def ask(self, question: PermissionQuestion) -> BoundAnswer:
        await self._step()
        return BoundAnswer(question.id, question.digest, PermissionAnswer(True))

    async def before(self, call: ToolCall) -> BeforeCall:
        await self._step()
        return BeforeCall()

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        await self._step()
        return outcome

    async def changing(self, files: tuple[str, ...]) -> None:
        await self._step()

    def decided(self, call: ToolCall, decision: Decision) -> None: ...

    def asked(self, question: PermissionQuestion) -> None: ...

    def answered(self, question: PermissionQuestion, answer: PermissionAnswer) -> None: ...


@dataclass
class Whole:
    """A session of one agent in a directory; `resume` opens its log anew."""

    root: Path
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.root / "a.txt").write_text("what stands in it\n")
        self._shown = 0
        self.step = Steps()
        self.model = Model(self.step)
        self.log = self.root / "log" / "s.jsonl"
        header = Header(id="s", cwd=str(self.root), model=INFO.full_name, mode="default", system="S")
        self._furnish(Conversation.create(self.log, header))

    def resume(self) -> None:
        """What another process makes of the log."""
        self.conversation.close()
        self._furnish(Conversation.resume(self.log)[0])

    async def tell(self, told: Told, number: int) -> None:
        """One prompt with all that comes of it."""
        self.model.answers = list(told.answers)
        self.step.left = told.cut
        running = asyncio.create_task(run(self.agent, user(f"prompt {number}")))
        self.step.running = running
        if told.between:
            self.steering.say(user("and mind the gap"))
        with suppress(asyncio.CancelledError):
            await running
        self.step.left = None
        while (left := self.steering.next()) is not None:
            self.conversation.add_prompt(left)

    async def compact(self) -> None:
        """What `/compact` does."""
        from roocode.app.context import compact_now

        await compact_now(self.agent, "", self.events.append)

    def flaws(self) -> list[str]:
        """What is wrong with the session as it is: to be sent, on disk, and as it was shown."""
        conversation = self.conversation
        sent = (*conversation.messages(), user("next"))
        asked = ModelRequest(INFO.name, "S", _joined(sent), self.agent.tools.specs, headers={})
        found = [*self.model.complaints, *complaints(asked)]
        found += [f"line {fault.line}: {fault.what}" for fault in check(self.log)]
        again, past = Conversation.resume(self.log)
        again.close()
        if again.messages() != conversation.messages():
            found.append(f"replayed: {again.messages()}\nin memory: {conversation.messages()}")
        if from_json(past.todos) != self.todos.items:
            found.append(f"replayed todos: {past.todos}, in memory: {self.todos.items}")
        began = [event.call.id for event in self.events[self._shown :] if isinstance(event, CallBegan)]
        ended = [event.call.id for event in self.events[self._shown :] if isinstance(event, CallFinished)]
        self._shown = len(self.events)
        if not set(began) <= set(ended) or len(ended) != len(set(ended)):
            found.append(f"calls that began: {began}, that ended: {ended}")
        return found

    def _furnish(self, conversation: Conversation) -> None:
        self.conversation, self.todos, self.seen = conversation, Todos(), Seen()
        workspace = Workspace(self.root)
        files = SafeFiles(workspace, self.root / "home")
        services = Services(workspace, files, todos=self.todos, seen=self.seen)
        real = [tool for tool in build(services) if tool.spec.name in ("ReadFile", "TodoWrite")]
        works: list[Tool] = [
            Work("Work", self.step),
            Work("Beside", self.step, alone=False),
            Work("Fail", self.step, fails=True, alone=False),
        ]
        stand = Stand(self.step)
        toolset = guard(
            [*real, *works],
            policy=Policy(self.root / "home", trusted=True),
            workspace=workspace,
            approver=stand,
            recorder=stand,
            hooks=stand,
            keeper=stand,
        )
        read_files.keep(self.seen, conversation)
        brain = Brain(self.model, INFO, "S", {"X-RooCode-Agent": "main"}, 500)
        room = room_of(
            "main", None, brain, toolset, conversation, self.todos, ContextSettings(), self.events.append
        )
        self.steering = Steering(conversation)
        self.agent = Agent(
            id="main",
            parent=None,
            brain=brain,
            tools=toolset,
            conversation=conversation,
            emit=self.events.append,
            limits=Limits(turns=6),
            before_request=(self.steering, room),
            room=room,
        )


def _joined(messages: Sequence[Any]) -> tuple[Any, ...]:
    from roocode.memory.sessions.replay import joined

    return tuple(joined(messages))
