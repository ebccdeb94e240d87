"""A server that is a process: lines of JSON on its pipes, and never alive without us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from roocode.security.sandbox.descendants import adopt_orphans, belonging, group_alive
from roocode.security.sandbox.process import Process, end_group, signal_group, spawn, until
from roocode.security.sandbox.watchdog import Watchdog
from roocode.tools.mcp.log import ServerLog

LONGEST_MESSAGE = 32 * 1024 * 1024
_MOST_A_SECOND = 500
_PIECE = 256 * 1024
_LEAVE_S = 1.0
_LAST_WORDS_S = 0.3
_GRACE_S = 2.0
_MARK = "ROOCODE_MCP"
_JUNK_SHOWN = 200
_MODES = ("wb", "rb", "rb")


class Wards:
    """The servers of this process, by mark and group: a watchdog kills them when this process is gone."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(8)
        self._numbers = 0
        self._groups: set[int] = set()
        self._watchdog = Watchdog(f"{_MARK}={self.token}.")

    async def mark(self) -> str:
        """A mark for one more server, once the watchdog watches."""
        adopt_orphans()
        await self._watchdog.ensure()
        self._numbers += 1
        return f"{self.token}.{self._numbers}."

    def add(self, group: int) -> None:
        """Watches a process group."""
        self._groups.add(group)
        self._watchdog.tell(self._groups)

    def remove(self, group: int) -> None:
        """Watches it no more."""
        self._groups.discard(group)
        self._watchdog.tell(self._groups)

    async def close(self) -> None:
        """Kills what is left of any server, and ends the watchdog."""
        await self._watchdog.close()


class ServerProcess:
    """One start of a server; `gone` is done when nothing more can come from it, with the reason."""

    def __init__(self, process: Process, mark: str, wards: Wards, log: ServerLog) -> None:
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._process = process
        self._mark = mark
        self._wards = wards
        self._log = log
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.StreamReader | None = None
        self._pipes: list[asyncio.BaseTransport] = []
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def start(
        cls, argv: Sequence[str], cwd: Path, env: Mapping[str, str], wards: Wards, log: ServerLog
    ) -> ServerProcess:
        """Starts it in a group of its own. Raises HostError where the program or `cwd` is not there."""
        mark = await wards.mark()
        theirs, ours = _pipes()
        try:
            process = await spawn(
                argv, cwd=cwd, env={**env, _MARK: mark}, stdin=theirs[0], output=theirs[1], errors=theirs[2]
            )
        except BaseException:
            for descriptor in ours:
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        wards.add(process.pid)
        log.begin()
        server = cls(process, f"{_MARK}={mark}", wards, log)
        connecting = asyncio.create_task(server._connect(ours))
        try:
            # Not cancelled itself, as a start is not (`spawn`): asyncio would leave the other pipes open.
            await asyncio.wait([connecting])
            connecting.result()
        except BaseException:
            connecting.add_done_callback(lambda _: server._release())
            raise
        return server

    async def _connect(self, ours: tuple[int, int, int]) -> None:
        loop = asyncio.get_running_loop()
        stdin, stdout, stderr = (os.fdopen(end, mode, 0) for end, mode in zip(ours, _MODES, strict=True))
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        transport, _ = await loop.connect_write_pipe(lambda: flow, stdin)
        self._writer = asyncio.StreamWriter(transport, flow, None, loop)
        self._reader = await self._reading(stdout)
        self._tasks.append(loop.create_task(self._keep(await self._reading(stderr))))

    async def _reading(self, pipe: Any) -> asyncio.StreamReader:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
        self._pipes.append(transport)
        return reader

    async def _keep(self, errors: asyncio.StreamReader) -> None:
        while data := await errors.read(_PIECE):
            self._log.feed(data)

    @contextlib.asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """The transport that the SDK's client takes."""
        import anyio
        from mcp.shared.message import SessionMessage

        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._receive(incoming)),
            asyncio.create_task(self._send(outgoing)),
        ]
        try:
            yield received, sent
        finally:
            for task in tasks:
                task.cancel()
            for stream in (incoming, received, sent, outgoing):
                stream.close()

    async def _receive(self, incoming: Any) -> None:
        """Hands each message on; what is none is noted in the log. Ends at the end of the output."""
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        reason = "it closed its output"
        pace = _Pace()
        try:
            async for line in self._lines():
                await pace.keep()
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    shown = line[:_JUNK_SHOWN].decode("utf-8", "replace")
                    self._log.note(f"[no message of the protocol on its standard output] {shown}")
                    continue
                await incoming.send(SessionMessage(message))
        except _TooLong:
            reason = f"it sent a message of more than {LONGEST_MESSAGE:,} bytes"
        finally:
            incoming.close()
            self._gone(reason)

    async def _lines(self) -> AsyncIterator[bytes]:
        assert self._reader is not None
        rest = bytearray()
        while data := await self._reader.read(_PIECE):
            rest += data
            if b"\n" in data:
                *lines, last = bytes(rest).split(b"\n")
                rest = bytearray(last)
                for line in lines:
                    if line.strip():
                        yield line
            if len(rest) > LONGEST_MESSAGE:
                raise _TooLong

    async def _send(self, outgoing: Any) -> None:
        assert self._writer is not None
        try:
            async for sent in outgoing:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._writer.write(text.encode() + b"\n")
                await self._writer.drain()
        except (OSError, RuntimeError):
            self._gone("it reads nothing more")

    async def obituary(self) -> str:
        """How it ended and what it said last; empty where it still runs."""
        await asyncio.wait({self._process.exited}, timeout=_LAST_WORDS_S)
        if not self._process.exited.done():
            return ""
        await asyncio.wait(self._tasks, timeout=_LAST_WORDS_S)
        said = f": {self._log.last}" if self._log.last else ""
        return f"it ended with {self._process.exited.result()}{said}"

    def _gone(self, reason: str) -> None:
        if self.gone.done():
            return
        code = self._process.exited.result() if self._process.exited.done() else None
        self.gone.set_result(reason if code is None else f"it ended with {code}")

    async def end(self) -> None:
        """Closes its input, and ends it with its whole group if that is not enough for it to go."""
        if self._writer is not None:
            self._writer.close()
        try:
            await asyncio.wait({self._process.exited}, timeout=_LEAVE_S)
            if not self._process.exited.done() or group_alive(self._process.pid):
                await end_group(self._process, _GRACE_S)
            await self._end_strays()
        finally:
            self._release()

    async def _end_strays(self) -> None:
        """Kills what left the group and still carries our mark."""
        for pid in belonging(self._mark, self._process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        await until(lambda: not belonging(self._mark, self._process.pid), _GRACE_S)

    def _release(self) -> None:
        signal_group(self._process.pid, signal.SIGKILL)
        self._wards.remove(self._process.pid)
        for task in self._tasks:
            task.cancel()
        if self._writer is not None:
            self._writer.close()
        for pipe in self._pipes:
            pipe.close()
        self._process.exited.add_done_callback(lambda _: self._process.release())
        self._log.close()
        self._gone("it was ended")


class _Pace:
    """Lets a server say no more in a second than can be listened to: a storm waits in its pipe."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._heard = 0

    async def keep(self) -> None:
        """Waits where it is too fast."""
        self._heard += 1
        if self._heard < _MOST_A_SECOND:
            return
        await asyncio.sleep(max(0.0, self._since + 1.0 - self._loop.time()))
        self._since, self._heard = self._loop.time(), 0


class _TooLong(Exception):
    """A message that nobody should keep in memory."""


def _pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Standard input, output and error: the server's ends, then ours."""
    (in_theirs, in_ours), (out_ours, out_theirs), (err_ours, err_theirs) = os.pipe(), os.pipe(), os.pipe()
    return (in_theirs, out_theirs, err_theirs), (in_ours, out_ours, err_ours)
