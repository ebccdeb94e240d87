"""A real session of one agent: real tools behind the guard, a real conversation on disk, a scripted model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from roocode.app.approvers import AskOnScreen
from roocode.app.opening import open_session
from roocode.app.single import Single
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.sources import Flag
from roocode.memory.sessions.replay import replay
from roocode.protocol.events import CallFinished, Event, RunEnded
from roocode.protocol.messages import Message, ToolResult
from roocode.scripted.server import ScriptedServer, serve
from roocode.security.isolation.secrets import Secrets
from roocode.tools.services import Asker

E = TypeVar("E", bound=Event)
PROTOCOLS = ("anthropic", "openai")
ALLOW_ALL = Flag(("permissions", "mode"), "bypassPermissions", "--permission-mode")


@dataclass
class Session:
    """What a test sees of a session: its events, its conversation, and what the model was sent."""

    single: Single
    server: ScriptedServer
    approver: AskOnScreen
    root: Path
    events: list[Event]
    happened: asyncio.Event = field(default_factory=asyncio.Event)

    async def say(self, text: str) -> RunEnded:
        return await self.single.run(self.single.prompt(text))

    def start(self, text: str) -> asyncio.Task[RunEnded]:
        return asyncio.create_task(self.say(text))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that events bring about."""
        async with asyncio.timeout(20):
            while not holds():
                self.happened.clear()
                await self.happened.wait()

    async def until_asked(self, times: int) -> None:
        """Waits until the model has been asked so often."""
        async with asyncio.timeout(20):
            while True:
                if len(self.server.log) >= times:
                    return
                await asyncio.sleep(0.005)

    def seen(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.single.conversation.messages()

    @property
    def results(self) -> list[ToolResult]:
        return [result for message in self.messages for result in message.results]

    @property
    def outcomes(self) -> list[tuple[str, bool]]:
        """Name of the tool and whether it failed, in the order in which calls ended."""
        return [(event.call.name, event.outcome.is_error) for event in self.seen(CallFinished)]

    def request(self, index: int) -> Any:
        return self.server.log[index].body

    def check_pairs(self) -> None:
        """Every call has one result, in memory and in what a new process would read."""
        for messages in (self.messages, replay(self.single.conversation.path).messages):
            calls = [call.id for message in messages for call in message.calls]
            results = [result.call_id for message in messages for result in message.results]
            assert sorted(calls) == sorted(results)
            assert len(set(calls)) == len(calls)


class Opener:
    """Opens sessions over either protocol."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.root.mkdir()
        self.home = base / "home"
        self.home.mkdir()
        self.path = os.environ["PATH"]

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.root / f"{name}.txt").write_text(text)

    @asynccontextmanager
    async def __call__(
        self, *steps: Any, beside: Mapping[str, Any] | None = None, **options: Any
    ) -> AsyncIterator[Session]:
        async with self.playing({"main": list(steps), **(beside or {})}, **options) as session:
            yield session

    @asynccontextmanager
    async def playing(
        self,
        plays: Mapping[str, Any],
        *,
        protocol: str = "anthropic",
        flags: tuple[Flag, ...] = (ALLOW_ALL,),
        alone: bool = False,
        begins: bool = True,
        finishes: bool = True,
        asker: Asker | None = None,
        choice: SessionChoice | None = None,
        sources: tuple[str, ...] = (),
        top: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> AsyncIterator[Session]:
        """A session of `main`; `plays` are each agent's steps, `top` what stands beside them."""
        with serve({"agents": dict(plays), **(top or {})}) as server:
            events: list[Event] = []
            session: Session | None = None

            def emit(event: Event) -> None:
                events.append(event)
                if session is not None:
                    session.happened.set()

            approver = AskOnScreen()
            single = open_session(
                RunOptions(cwd=self.root, flags=flags, **options),
                choice or SessionChoice(),
                self.environment(protocol, server.url),
                emit,
                Secrets("salt"),
                approver=approver,
                asker=asker,
                alone=alone,
                sources=sources,
            )
            session = Session(single, server, approver, self.root, events)
            if begins:
                await single.begin()
            try:
                yield session
                session.check_pairs()
            finally:
                await single.close()
            assert server.failures == []
            if finishes:
                server.assert_finished()

    def environment(self, protocol: str, url: str) -> dict[str, str]:
        address = {"ANTHROPIC_BASE_URL": url} if protocol == "anthropic" else {"OPENAI_BASE_URL": f"{url}/v1"}
        return {"PATH": self.path, "HOME": str(self.home), **address}


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    return Opener(tmp_path)
