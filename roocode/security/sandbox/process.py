"""The one place that starts processes: own session, whole group ended, stdin closed, our keys not inherited."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roocode.protocol.errors import HostError

GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Completed:
    """What a process left: `code` is negative for a signal, as in `subprocess`."""

    code: int
    out: bytes
    err: bytes
    timed_out: bool = False


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float = 60.0,
    stdin: bytes | None = None,
) -> Completed:
    """Runs a program without a shell and returns all its output.

    For small output (git, ripgrep). On a timeout or a cancel the whole group is ended: TERM, then KILL.
    Raises HostError when the program is not there.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=dict(env),
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise HostError(f"cannot run {argv[0]}: {error.strerror}: {error.filename}") from error
    try:
        out, err = await asyncio.wait_for(process.communicate(stdin), timeout_s)
    except TimeoutError:
        await end_group(process.pid, process.wait())
        return Completed(-signal.SIGKILL, b"", b"", timed_out=True)
    except asyncio.CancelledError:
        await end_group(process.pid, process.wait())
        raise
    return Completed(process.returncode or 0, out, err)


async def end_group(group: int, gone: asyncio.Future[int] | object) -> None:
    """Ends a process group: TERM, then KILL after GRACE_S seconds; waits until its leader is gone."""
    waiter = asyncio.ensure_future(gone)  # type: ignore[call-overload]
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, sent)
        done, _ = await asyncio.wait({waiter}, timeout=GRACE_S)
        if done and sent == signal.SIGKILL:
            break
        if done:
            continue
