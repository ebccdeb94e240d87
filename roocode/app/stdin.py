"""Standard input as context of a headless run, and as a stream of prompts. Reading never blocks the loop."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from roocode.protocol.errors import UserError

FIRST_BYTE_WITHIN_S = 2.0
MOST_BYTES = 10 * 1024 * 1024
CHUNK_BYTES = 65536


async def piped(*, wait: bool) -> str:
    """What is piped in; empty for a terminal, a closed input, or a pipe into which nobody writes.

    Without `wait` a pipe is given up when its first byte does not come within FIRST_BYTE_WITHIN_S seconds.
    Raises UserError where there is more than MOST_BYTES.
    """
    mode = _mode()
    if mode is None or not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    content = bytearray()
    async with aclosing(_chunks(mode)) as chunks:
        try:
            async with asyncio.timeout(None if wait else FIRST_BYTE_WITHIN_S):
                content += await anext(chunks, b"")
        except TimeoutError:
            sys.stderr.write("nothing came on standard input: going on without it\n")
            return ""
        async for chunk in chunks:
            content += chunk
            if len(content) > MOST_BYTES:
                raise UserError("standard input is more than 10 MB", "put it into a file and name the file")
    return content.decode("utf-8", errors="replace")


async def prompts() -> AsyncGenerator[str, None]:
    """The user messages of stream-json input, a line each; blank lines are passed over.

    Raises UserError for a line that is no user message.
    """
    mode = _mode()
    if mode is None:
        return
    begun = b""
    async with aclosing(_chunks(mode)) as chunks:
        async for chunk in chunks:
            *lines, begun = (begun + chunk).split(b"\n")
            for line in lines:
                if line.strip():
                    yield _words(line)
    if begun.strip():
        yield _words(begun)


def _mode() -> int | None:
    try:
        return os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return None


async def _chunks(mode: int) -> AsyncGenerator[bytes, None]:
    descriptor = sys.stdin.fileno()
    waits = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
    while True:
        if waits:
            await _readable(descriptor)
        chunk = os.read(descriptor, CHUNK_BYTES)
        if not chunk:
            return
        yield chunk


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


def _words(line: bytes) -> str:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UserError(f"a line of standard input is not JSON: {error}") from error
    text = _text(value["message"].get("content")) if _is_user_message(value) else None
    if text is None:
        raise UserError('a line of standard input is not {"type":"user","message":{"content":…}}')
    return text


def _is_user_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "user" and isinstance(value.get("message"), dict)


def _text(content: Any) -> str | None:
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n\n".join(str(part.get("text", "")) for part in parts)
    return content if isinstance(content, str) and content.strip() else None
