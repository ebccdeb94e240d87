"""The scripted model server: `ScriptedServer` in an event loop, `serve` beside code that has none."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from roocode.scripted.http1 import READ_LIMIT, BadRequest, ClientGone, Connection
from roocode.scripted.log import Record, RequestLog
from roocode.scripted.player import Player
from roocode.scripted.scenario import Scenario, load
from roocode.scripted.service import Service
from roocode.scripted.tasks import TaskFile

HOST = "127.0.0.1"


class ScriptedServer:
    """Plays a scenario (a Scenario, a YAML file, or the same as a mapping) on 127.0.0.1.

    `tasks_root` is the repository below which the team's tasks.json is looked for. `port` 0 takes a free
    one. Raises UserError for a scenario that cannot be read.
    """

    def __init__(
        self,
        scenario: Scenario | Path | Mapping[str, Any],
        *,
        tasks_root: Path | None = None,
        log_file: TextIO | None = None,
        port: int = 0,
    ) -> None:
        played = scenario if isinstance(scenario, Scenario) else load(scenario)
        self._log = RequestLog(log_file)
        self._player = Player(played, TaskFile(tasks_root, played.tasks_file).read)
        self._service = Service(played, self._player, self._log)
        self._port = port
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base URL for Anthropic's protocol, `http://127.0.0.1:PORT`; OpenAI's has `/v1` behind it."""
        return f"http://{HOST}:{self._port}"

    @property
    def log(self) -> list[Record]:
        """The requests so far; one that is being answered is there too."""
        return self._log.records

    @property
    def failures(self) -> list[str]:
        """What went wrong: requests that a strict provider refuses, or that the scenario did not expect."""
        return self._log.failures

    def unplayed(self) -> list[str]:
        """The steps that were not played to the end, as `lead step 3`."""
        return self._player.unplayed()

    def assert_finished(self) -> None:
        """Raises AssertionError, which names the failures and the steps that were never played."""
        trouble = [*self.failures, *(f"never played: {step}" for step in self.unplayed())]
        if trouble:
            raise AssertionError("\n".join(trouble))

    async def start(self) -> None:
        """Opens the socket: from here on `url` is known and requests are answered."""
        self._server = await asyncio.start_server(self._accept, HOST, self._port, limit=READ_LIMIT)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Closes the socket and all connections, answers under way too."""
        if self._server is None:
            return
        self._server.close()
        clients = tuple(self._clients)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.create_task(self._serve(Connection(reader, writer)))
        self._clients.add(client)
        client.add_done_callback(self._left)

    def _left(self, client: asyncio.Task[None]) -> None:
        self._clients.discard(client)
        if not client.cancelled() and (error := client.exception()):
            self.failures.append(f"the server itself failed: {error!r}")

    async def _serve(self, connection: Connection) -> None:
        try:
            while request := await connection.next_request():
                await self._service.handle(request, connection)
                connection.check()
                if request.headers.get("connection", "").lower() == "close":
                    return
        except ClientGone:
            return
        except BadRequest as error:
            self.failures.append(f"not HTTP: {error}")
            await connection.send(400, {"connection": "close"}, str(error).encode())
        finally:
            await connection.close()


@contextlib.asynccontextmanager
async def running(server: ScriptedServer) -> AsyncIterator[ScriptedServer]:
    """The server, started and at the end stopped, in this event loop."""
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@contextlib.contextmanager
def serve(
    scenario: Scenario | Path | Mapping[str, Any],
    *,
    tasks_root: Path | None = None,
    log_file: TextIO | None = None,
    port: int = 0,
) -> Iterator[ScriptedServer]:
    """A running server in a thread of its own, stopped at the end."""
    server = ScriptedServer(scenario, tasks_root=tasks_root, log_file=log_file, port=port)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="scripted", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
