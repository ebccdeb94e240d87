"""One server, for all agents of this process: started, listened to, started again, and ended.

The SDK's client must be entered and left in one task, and may cancel whoever entered it when a server goes:
so each try to connect is a task of its own, which nobody else waits in.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from roocode.protocol.errors import HostError
from roocode.security.sandbox.process import outermost_checkout, outside_folders
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.faults import LoginNeeded, ServerDown, find, in_words
from roocode.tools.mcp.log import ServerLog
from roocode.tools.mcp.offering import Offering
from roocode.tools.mcp.ports import Host, Waiting
from roocode.tools.mcp.stdio import ServerProcess, Wards

if TYPE_CHECKING:
    from roocode.tools.mcp.client import Client

Status: TypeAlias = Literal["pending", "connected", "failed", "needs-auth", "closed"]
T = TypeVar("T")

_STEADY_S = 60.0
_PAUSE_S = 1.0
_MANY_CHANGES = 20
_LONG_PAUSE_S = 30.0
_LEAVE_S = 2.0
_FAREWELLS = 3
_LAST_WORD_S = 1.0

_log = logging.getLogger(__name__)


class Connection:
    """`status` and `reason` say how it stands; `settled` is set once the first try has ended or succeeded.

    `refused` says why it must not be started at all.

    `changed` is called whenever status or offering are others than before.
    """

    def __init__(self, config: ServerConfig, host: Host, wards: Wards, refused: str = "") -> None:
        self.config = config
        self.status: Status = "failed" if refused else "pending"
        self.reason = refused
        self.offering = Offering()
        self.settled = asyncio.Event()
        self.waiting = Waiting()
        self.changed: list[Callable[[], None]] = []
        self.log = ServerLog(host.logs, config.name, host.mask)
        self._host = host
        self._wards = wards
        self._refused = refused
        self._client: Client | None = None
        self._life: asyncio.Task[None] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._process: ServerProcess | None = None
        self._ready = asyncio.Event()
        self._stirred = asyncio.Event()
        self._lost = asyncio.Event()
        self._wanted = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def start(self, auth: Any = None) -> None:
        """Begins to connect, in the background. `auth` is for a login that goes on now."""
        if self._refused:
            self.settled.set()
            self._announce()
            return
        self._keeper = asyncio.create_task(self._keep(auth), name=f"mcp {self.config.name}")

    async def close(self) -> None:
        """Ends the connection and the server."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait({self._keeper})
        self._set("closed")

    async def request(self, ask: Callable[[Client], Awaitable[T]]) -> T:
        """Lets `ask` have the client. Raises ServerDown, LoginNeeded, or what the SDK raises.

        Waits for a connection that is being made. A cancel is told to the server.
        """
        client, life = await self._there()
        asking = asyncio.ensure_future(ask(client))
        try:
            await asyncio.wait({asking, life}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                await asyncio.wait({asking}, timeout=_LAST_WORD_S)
            if not asking.done():
                raise ServerDown(f"{self.config.name} went away in the middle of the request")
            return self._outcome(asking)
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking}, timeout=_LAST_WORD_S)

    def _outcome(self, asked: asyncio.Future[T]) -> T:
        from roocode.tools.mcp.client import is_lost

        if asked.cancelled():
            self._lost.set()
            raise ServerDown(f"{self.config.name} went away in the middle of the request")
        error = asked.exception()
        if error is not None and is_lost(error):
            self._lost.set()
            raise ServerDown(f"{self.config.name} went away: {in_words(error)}") from error
        return asked.result()

    async def _there(self) -> tuple[Client, asyncio.Task[None]]:
        """The client, once there is one; a server that was given up gets one more try."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.config.start_timeout_s):
                if self.status == "failed" and self._keeper is not None:
                    self._wanted.set()
                    await self._next_change()
                while self.status == "pending":
                    await self._next_change()
        if self._client is None or self._life is None or self._life.done():
            why = f": {self.reason}" if self.reason else ""
            kind = LoginNeeded if self.status == "needs-auth" else ServerDown
            raise kind(f"{self.config.name} is not connected ({self.status}){why}")
        return self._client, self._life

    async def _next_change(self) -> None:
        moved: asyncio.Future[None] = self._loop.create_future()

        def move() -> None:
            if not moved.done():
                moved.set_result(None)

        self.changed.append(move)
        try:
            await moved
        finally:
            self.changed.remove(move)

    async def _keep(self, auth: Any) -> None:
        """Connects, and again when the connection is lost, with growing pauses; gives up after some."""
        failures = 0
        while True:
            self._wanted.clear()
            self._set("pending", self.reason)
            began = self._loop.time()
            error = await self._one_life(auth)
            if self._ready.is_set() and self._loop.time() - began > _STEADY_S:
                failures = 0
            pause = self._judge(error, failures)
            self.settled.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), pause)
            failures = 0 if pause is None else failures + 1

    def _judge(self, error: BaseException, failures: int) -> float | None:
        """Says what an end means; returns the pause before the next try, None to wait until it is wanted."""
        login = find(error, LoginNeeded)
        if login is not None:
            self._set("needs-auth", str(login).replace("\n", ": "))
            return None
        self._set("failed", self._host.mask(in_words(error)))
        cannot = isinstance(error, HostError) and not isinstance(error, ServerDown)
        pauses = self._host.pauses_s
        return None if cannot or failures >= len(pauses) else pauses[failures]

    async def _one_life(self, auth: Any) -> BaseException:
        """One try: from the start of the server to its end. Returns why it ended."""
        self._ready.clear()
        self._lost.clear()
        self._stirred.clear()
        life = self._life = asyncio.create_task(self._live(auth), name=f"mcp {self.config.name} connection")
        try:
            ready = asyncio.create_task(self._ready.wait())
            limit = None if auth is not None else self.config.start_timeout_s
            await asyncio.wait({life, ready}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            if not self._ready.is_set() and not life.done():
                return ServerDown(f"it did not answer within {self.config.start_timeout_s:g} s")
            await asyncio.wait({life})
            return await self._cause(life)
        finally:
            self._client = None
            await self._bury(life)

    async def _cause(self, life: asyncio.Task[None]) -> BaseException:
        """Why a life ended: what its process says of it, if that is what ended."""
        error = None if life.cancelled() else life.exception()
        told = await self._process.obituary() if self._process is not None else ""
        if told:
            return ServerDown(told)
        return error or ServerDown("the connection broke")

    async def _bury(self, life: asyncio.Task[None]) -> None:
        """Ends the task and the process of a life, whatever cancels us meanwhile."""
        ending = asyncio.create_task(self._end(life))
        cancelled = False
        while not ending.done():
            try:
                await asyncio.wait({ending})
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _end(self, life: asyncio.Task[None]) -> None:
        for _ in range(_FAREWELLS):
            # The first cancel may be spent on a farewell to a server that does not hear it.
            life.cancel()
            await asyncio.wait({life}, timeout=_LEAVE_S)
            if life.done():
                break
        process, self._process = self._process, None
        if process is not None:
            await process.end()
        if life.done() and not life.cancelled():
            life.exception()

    async def _live(self, auth: Any) -> None:
        client_module = await asyncio.to_thread(importlib.import_module, "roocode.tools.mcp.client")
        if self.config.transport == "stdio":
            self._process = await self._started()
        told = self._stirred.set
        async with client_module.opened(
            self.config, self._host, self._process, told, self.waiting, auth
        ) as client:
            self.offering = await client_module.offering(client)
            for note in self.offering.notes:
                self.log.note(f"[left out] {note}")
            self._client = client
            self._ready.set()
            self._set("connected")
            self.settled.set()
            await self._serve(client, client_module)

    async def _started(self) -> ServerProcess:
        config, host = self.config, self._host
        env = {**host.env}
        cwd = host.root
        if config.apart:
            env["PATH"] = ":".join(outside_folders(env, outermost_checkout(host.root)))
            cwd = host.home
        if config.cwd:
            cwd = (cwd / Path(config.cwd).expanduser()).resolve()
        return await ServerProcess.start(config.argv, cwd, {**env, **config.env}, self._wards, self.log)

    async def _serve(self, client: Client, client_module: Any) -> None:
        """Keeps the lists fresh until the connection is lost. Raises ServerDown then."""
        hearing = asyncio.create_task(client_module.listening(client, self._stirred.set))
        ends: list[asyncio.Future[Any]] = [asyncio.create_task(self._lost.wait())]
        if self._process is not None:
            ends.append(self._process.gone)
        changes = 0
        try:
            while True:
                stirred = asyncio.create_task(self._stirred.wait())
                await asyncio.wait([stirred, *ends], return_when=asyncio.FIRST_COMPLETED)
                stirred.cancel()
                _raise_if_ended(ends)
                self._stirred.clear()
                self.offering = await client_module.offering(client)
                self._announce()
                changes += 1
                pause = _PAUSE_S if changes < _MANY_CHANGES else _LONG_PAUSE_S
                await asyncio.wait(ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
                _raise_if_ended(ends)
        finally:
            hearing.cancel()
            ends[0].cancel()
            await asyncio.gather(hearing, ends[0], return_exceptions=True)

    def _set(self, status: Status, reason: str = "") -> None:
        self.status, self.reason = status, reason
        self._announce()

    def _announce(self) -> None:
        for hear in tuple(self.changed):
            hear()


def _raise_if_ended(ends: list[asyncio.Future[Any]]) -> None:
    for end in ends:
        if end.done():
            raise ServerDown(end.result() if isinstance(end.result(), str) else "the connection broke")
