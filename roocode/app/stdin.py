"""Standard input as context of a headless run, and as a stream of prompts."""

from __future__ import annotations

import asyncio
import json
import os
import select
import stat
import sys
from collections.abc import AsyncIterator

from roocode.protocol.errors import UserError

FIRST_BYTE_WITHIN_S = 2.0
MOST_BYTES = 10 * 1024 * 1024


def piped() -> str:
    """What is piped in; empty for a terminal, a closed input, or a pipe into which nobody writes.

    Raises UserError where it is more than MOST_BYTES.
    """
    try:
        descriptor = sys.stdin.fileno()
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError, AttributeError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    if not select.select([descriptor], [], [], FIRST_BYTE_WITHIN_S)[0]:
        sys.stderr.write("nothing came on standard input: going on without it\n")
        return ""
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UserError("standard input is more than 10 MB", "put it into a file and name the file")
    return content.decode("utf-8", errors="replace")


async def prompts() -> AsyncIterator[str]:
    """The user messages of stream-json input, a line each; blank lines are passed over.

    Raises UserError for a line that is no user message.
    """
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        if line.strip():
            yield _words(line)


def _words(line: bytes) -> str:
    try:
        value = json.loads(line)
        content = value["message"]["content"] if value.get("type") == "user" else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"a line of standard input is no user message: {error}") from error
    if isinstance(content, list):
        content = "\n\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise UserError('a line of standard input is not {"type":"user","message":{"content":…}}')
    return content
