"""Just enough of HTTP/1.1 for a server on loopback: requests with a length, keep-alive, chunked answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from roocode.protocol.frozen import frozen

READ_LIMIT = 1 << 20
_WATCH_S = 0.02


class ClientGone(Exception):
    """The client closed its connection before the answer was out."""


class BadRequest(Exception):
    """Bytes that are not a request this server reads."""


@frozen
class HttpRequest:
    """A request; header names are lower case, `received` is the monotonic time at which its head was in."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    received: float


@dataclass(slots=True)
class Sent:
    """What has left of an answer; the times are monotonic, taken right before the bytes go to the kernel."""

    first_byte: float | None = None
    last_byte: float | None = None
    sent_bytes: int = 0


class Connection:
    """One client's connection; `sent` belongs to the request that was read last."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.sent = Sent()

    async def next_request(self) -> HttpRequest | None:
        """The next request, or None when the client has closed. Raises BadRequest."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            received = time.monotonic()
            method, path, headers = _head(head)
            body = await self._reader.readexactly(_length(headers))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except asyncio.LimitOverrunError as error:
            raise BadRequest("the head is longer than a MiB") from error
        self.sent = Sent()
        return HttpRequest(method, path, headers, body, received)

    async def send(
        self, status: int, headers: Mapping[str, str], body: bytes, length: int | None = None
    ) -> None:
        """Sends a whole response; a `length` above the body's is for one that is cut."""
        size = len(body) if length is None else length
        await self._write(_response_head(status, {**headers, "content-length": str(size)}) + body)

    async def begin_stream(self, status: int, headers: Mapping[str, str]) -> None:
        """Sends the head of a chunked response."""
        await self._write(_response_head(status, {**headers, "transfer-encoding": "chunked"}))

    async def send_chunks(self, chunks: Iterable[bytes], *, last: bool) -> None:
        """Sends chunks, each in its own frame, in one write; behind the `last` ones the stream's end."""
        frames = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks if chunk]
        await self._write(b"".join(frames) + (b"0\r\n\r\n" if last else b""))

    async def pause(self, seconds: float) -> None:
        """Waits; raises ClientGone as soon as the client has closed."""
        deadline = time.monotonic() + seconds
        while True:
            self.check()
            left = deadline - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(min(left, _WATCH_S))

    def check(self) -> None:
        """Raises ClientGone when the client has closed."""
        if self._reader.at_eof() or self._writer.is_closing():
            raise ClientGone

    async def close(self) -> None:
        """Sends what is left and closes."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            return

    async def _write(self, data: bytes) -> None:
        sent = self.sent
        sent.last_byte = time.monotonic()
        sent.first_byte = sent.first_byte or sent.last_byte
        sent.sent_bytes += len(data)
        self._writer.write(data)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise ClientGone from error


def _head(head: bytes) -> tuple[str, str, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadRequest(f"not a request line: {lines[0][:200]!r}")
    pairs = (line.partition(":") for line in lines[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if "transfer-encoding" in headers:
        raise BadRequest("a request's body needs a content-length here")
    return parts[0], parts[1], headers


def _length(headers: Mapping[str, str]) -> int:
    text = headers.get("content-length", "0")
    if not text.isdecimal():
        raise BadRequest(f"not a content-length: {text[:40]!r}")
    return int(text)


def _response_head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Overloaded" if status == 529 else "Unknown"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {phrase}\r\n{lines}\r\n".encode("latin-1")
