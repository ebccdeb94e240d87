"""A program that is run once, with everything that it starts: nothing of it goes on when it has ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from roocode.security.sandbox.descendants import belonging, group_alive
from roocode.security.sandbox.process import Completed, Process, end_group, spawn

MARK = "ROOCODE_CONTAINED"
_GRACE_S = 0.5


async def run_contained(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes, timeout_s: float, limit: int
) -> Completed:
    """Runs a program in a session of its own, without a terminal, and returns at most `limit` bytes of it.

    It is ended after `timeout_s` seconds, on too much output and on a cancel; children that it leaves behind,
    in sessions of their own too, are ended with it in any case. Raises HostError when it cannot be started.
    """
    mark = f"{MARK}={uuid.uuid4().hex}"
    name, _, value = mark.partition("=")
    process = await spawn(argv, cwd=cwd, env={**env, name: value}, stdin=asyncio.subprocess.PIPE, limit=limit)
    timed_out = False
    try:
        process.feed(stdin)
        async with asyncio.timeout(timeout_s):
            await process.finished()
    except TimeoutError:
        timed_out = True
    finally:
        try:
            await _end(process, mark)
        finally:
            process.release()
    return Completed(
        code=process.exited.result() if process.exited.done() else -signal.SIGKILL,
        out=process.written(1),
        err=process.written(2),
        timed_out=timed_out,
        truncated=process.flooded.done(),
    )


async def _end(process: Process, mark: str) -> None:
    """Ends what is left of it: its group with a word of warning, the rest at once."""
    left = belonging(mark, process.pid)
    if not process.exited.done() or group_alive(process.pid):
        await end_group(process, _GRACE_S)
    for pid in left | belonging(mark, process.pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
