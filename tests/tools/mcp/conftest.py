"""Servers to connect to, and a host that hears what they say."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from roocode.protocol.decisions import Decision
from roocode.protocol.tools import Tool, ToolOutcome
from roocode.security.isolation.masking import unmasked
from roocode.security.sandbox.process import until
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.connection import Connection
from roocode.tools.mcp.content import Keep
from roocode.tools.mcp.ports import Host
from roocode.tools.mcp.servers import Servers
from roocode.tools.services import Asker

HERE = Path(__file__).parent
ALLOWED = Decision("allow", "rules", "the test says so")
WITHIN_S = 60.0


def stdio(script: str, *arguments: str, name: str = "it", **more: Any) -> ServerConfig:
    """A server that is one of the scripts here."""
    return ServerConfig(
        name,
        "stdio",
        "user",
        "a test",
        command=sys.executable,
        args=(str(HERE / script), *arguments),
        **more,
    )


def quirky(quirk: str, *arguments: str, **more: Any) -> ServerConfig:
    """The small server with this quirk."""
    return stdio("quirky.py", quirk, *arguments, legacy=True, **more)


@dataclass
class Run:
    """Servers that run, with the folder that takes pictures and what was told."""

    servers: Servers
    keep: Keep
    told: list[str] = field(default_factory=list)

    def connection(self, name: str = "it") -> Connection:
        return self.servers.connections[name]

    def tools(self, name: str = "it") -> dict[str, Tool]:
        built = self.servers.tools(self.connection(name), self.keep, self.told.append)
        return {tool.spec.name: tool for tool in built}

    async def call(self, tool: str, **arguments: Any) -> ToolOutcome:
        server = tool.removeprefix("mcp__").partition("__")[0]
        return await self.tools(server)[tool].run(arguments, ALLOWED)

    async def until(self, holds: Callable[[], bool]) -> None:
        assert await until(holds, WITHIN_S)


Opener = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture
def connected(tmp_path: Path) -> Opener:
    """Starts servers and waits for their first tries: `async with connected(config, asker=…) as run`."""
    (tmp_path / "project").mkdir()
    (tmp_path / "kept").mkdir()

    @asynccontextmanager
    async def start(
        *configs: ServerConfig, wait: bool = True, begin: bool = True, **host: Any
    ) -> AsyncIterator[Run]:
        told: list[str] = []
        around = Host(
            root=tmp_path / "project",
            home=tmp_path,
            state=tmp_path / "state",
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            mask=unmasked,
            roots=(tmp_path / "project",),
            tell=told.append,
        )
        servers = Servers(configs, replace(around, **host))
        if begin:
            servers.start()
        try:
            if wait and begin:
                await servers.settled(WITHIN_S)
            yield Run(servers, Keep(tmp_path / "kept"), told)
        finally:
            await servers.close()

    return start


@dataclass
class Says(Asker):
    """A person who gives these answers, one after the other, and none when they are used up."""

    answers: list[str]
    asked: list[str] = field(default_factory=list)

    async def ask(self, questions: Any) -> tuple[str, ...] | None:
        self.asked += [question.question for question in questions]
        return (self.answers.pop(0),) if self.answers else None
