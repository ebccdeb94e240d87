"""A server on loopback that answers with exactly the bytes a test gives it."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal


@dataclass(frozen=True)
class Plan:
    """One response.

    `end` is whole, cut (closed early), reset, hold (open until the client leaves), silent (not even a head)
    or endless (bytes until the client leaves).
    """

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    end: Literal["whole", "cut", "reset", "hold", "silent", "endless"] = "whole"


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class RawServer:
    """Plays its plans in order, the last one again and again."""

    def __init__(self, *plans: Plan, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._plans = list(plans)
        self._writers: set[asyncio.StreamWriter] = set()
        self._idle = asyncio.Event()
        self.requests: list[Request] = []
        self.connections = 0
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    async def __aenter__(self) -> RawServer:
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", 0, ssl=self._tls)
        self.base_url = (
            f"{'https' if self._tls else 'http'}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await self._server.wait_closed()
        if self._writers:
            await self._idle.wait()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        self._idle.clear()
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.left.set()
        finally:
            writer.close()
            self._writers.discard(writer)
            if not self._writers:
                self._idle.set()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        pairs = (line.split(":", 1) for line in lines)
        headers = {name.lower(): value.strip() for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append(Request(first.split(" ")[1], headers, body))
        self.asked.set()
        plan = self._plans.pop(0) if len(self._plans) > 1 else self._plans[0]
        if plan.end != "silent":
            head = [f"HTTP/1.1 {plan.status} X", *(f"{k}: {v}" for k, v in plan.headers.items())]
            writer.write("\r\n".join([*head, "transfer-encoding: chunked", "", ""]).encode())
        for piece in plan.pieces:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0)
        return await self._end(plan, reader, writer)

    async def _end(self, plan: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        match plan.end:
            case "whole":
                writer.write(b"0\r\n\r\n")
                await writer.drain()
                return True
            case "cut":
                return False
            case "reset":
                writer.transport.abort()
                return False
            case "hold" | "silent":
                await reader.readexactly(1)
                return False
            case "endless":
                while not writer.is_closing():
                    writer.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
                    await writer.drain()
                self.left.set()
                return False
