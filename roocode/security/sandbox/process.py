"""The one place that starts processes: each leads its own session, and its whole group is ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.descendants import adopt_orphans, group_alive, started

GRACE_S = 2.0
DRAIN_S = 0.2
CAPTURE_LIMIT = 64 * 1024 * 1024
_SHORTEST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.1


@frozen
class Completed:
    """What a program left: `code` is negative for a signal, as in `subprocess`.

    `truncated`: it wrote more than the limit and was ended for it.
    """

    code: int
    out: bytes
    err: bytes
    timed_out: bool = False
    truncated: bool = False


class Process(asyncio.SubprocessProtocol):
    """A started program, the leader of its own session and process group.

    `exited` gives the exit code as soon as the program itself ends, whoever still holds its pipes.
    `flooded` is set when it wrote more than `limit` bytes to its pipes.
    """

    def __init__(self, limit: int) -> None:
        loop = asyncio.get_running_loop()
        self.pid = 0
        self.exited: asyncio.Future[int] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()
        self.flooded: asyncio.Future[None] = loop.create_future()
        self._room = limit
        self._written = {1: bytearray(), 2: bytearray()}
        self._open_pipes = set(self._written)
        self._transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio once the program runs."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()
        started.add(self.pid)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keeps what fits the limit."""
        if len(data) > self._room and not self.flooded.done():
            self.flooded.set_result(None)
        self._written[fd] += data[: self._room]
        self._room = max(0, self._room - len(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Notes that nobody holds this pipe any more."""
        self._open_pipes.discard(fd)
        if not self._open_pipes and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        """Notes the exit code."""
        assert self._transport is not None
        code = self._transport.get_returncode()
        assert code is not None
        started.pids.discard(self.pid)
        if not self.exited.done():
            self.exited.set_result(code)

    def feed(self, data: bytes) -> None:
        """Writes all of standard input and closes it."""
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(data)
        pipe.write_eof()

    async def finished(self) -> None:
        """Waits for the exit and the rest of the output, or for too much output."""
        await _first(self.exited, self.flooded)
        if not self.flooded.done():
            await _first(self.drained, self.flooded, timeout_s=DRAIN_S)

    def written(self, fd: int) -> bytes:
        """What came through this pipe: 1 for standard output, 2 for standard error."""
        return bytes(self._written[fd])

    def release(self) -> None:
        """Closes our ends of its pipes; to be called after the exit."""
        if self._transport is not None:
            self._transport.close()


async def _first(*futures: asyncio.Future[Any], timeout_s: float | None = None) -> None:
    await asyncio.wait(futures, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)


async def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int = asyncio.subprocess.DEVNULL,
    output: int = asyncio.subprocess.PIPE,
    errors: int | None = None,
    limit: int = CAPTURE_LIMIT,
) -> Process:
    """Starts a program in a session of its own. `output` takes standard output, and error without `errors`.

    `limit` is in bytes and holds for pipes. Raises HostError when the program or `cwd` is not there, or the
    system refuses. A cancel kills what was being started.
    """
    loop = asyncio.get_running_loop()
    start = loop.create_task(
        loop.subprocess_exec(
            lambda: Process(limit),
            *argv,
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=output,
            stderr=output if errors is None else errors,
            start_new_session=True,
        )
    )
    started.starting(start)
    try:
        # Not cancelled itself: while asyncio connects the pipes, a cancel waits for an exit that it never
        # hears of (Python 3.11).
        await asyncio.wait([start])
    except asyncio.CancelledError:
        await _kill_unwanted(start)
        raise
    try:
        return start.result()[1]
    except OSError as error:
        raise HostError(f"cannot run {argv[0]}: {error.strerror}: {error.filename}") from error


async def _kill_unwanted(start: asyncio.Task[tuple[asyncio.SubprocessTransport, Process]]) -> None:
    """Another cancel ends the waiting, not the killing."""

    def kill(_: object) -> None:
        if not start.cancelled() and start.exception() is None:
            process = start.result()[1]
            signal_group(process.pid, signal.SIGKILL)
            process.exited.add_done_callback(lambda _: process.release())

    start.add_done_callback(kill)
    await asyncio.wait([start])
    if start.exception() is None:
        await asyncio.wait([start.result()[1].exited], timeout=GRACE_S)


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float = 60.0,
    stdin: bytes | None = None,
    limit: int = CAPTURE_LIMIT,
) -> Completed:
    """Runs a program without a shell and returns its output, at most `limit` bytes of it.

    For git, ripgrep and their like. On a timeout, a flood or a cancel the whole group is ended: TERM, then
    KILL. A child that keeps the pipes after the program's exit is not waited for.
    Raises HostError when the program is not there.
    """
    source = asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE
    process = await spawn(argv, cwd=cwd, env=env, stdin=source, limit=limit)
    timed_out = False
    try:
        if stdin is not None:
            process.feed(stdin)
        async with asyncio.timeout(timeout_s):
            await process.finished()
    except TimeoutError:
        timed_out = True
    finally:
        try:
            if not process.exited.done():
                await end_group(process)
        finally:
            process.release()
    return Completed(
        code=process.exited.result() if process.exited.done() else -signal.SIGKILL,
        out=process.written(1),
        err=process.written(2),
        timed_out=timed_out,
        truncated=process.flooded.done(),
    )


async def end_group(process: Process, grace_s: float = GRACE_S) -> None:
    """Ends a process and its whole group: TERM, then KILL to what is left after `grace_s` seconds.

    A cancel while it waits sends the KILL at once.
    """
    adopt_orphans()
    signal_group(process.pid, signal.SIGTERM)
    try:
        await until(lambda: not group_alive(process.pid), grace_s)
    finally:
        if group_alive(process.pid):
            signal_group(process.pid, signal.SIGKILL)
    await until(lambda: process.exited.done() and not group_alive(process.pid), grace_s)


async def until(holds: Callable[[], bool], limit_s: float) -> bool:
    """Looks again and again until something holds, at most `limit_s` seconds; returns whether it does.

    For what the kernel tells nobody: that the last process of a group is gone.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    pause = _SHORTEST_PAUSE_S
    while not holds():
        if loop.time() > deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
    return True


def signal_group(group: int, number: signal.Signals) -> None:
    """Sends a signal to a process group that may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def find_program(name: str, env: Mapping[str, str], *, outside: Path) -> str | None:
    """The absolute path of a program on PATH, or None; a project must not bring it (`outside_folders`)."""
    folders = outside_folders(env, outside)
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def outside_folders(env: Mapping[str, str], outside: Path) -> list[str]:
    """The folders of PATH without relative entries, empty ones, and those below `outside`.

    A directory that holds the person's whole home is no project in this sense.
    """
    everything = Path(env.get("HOME") or "/").resolve().is_relative_to(outside)
    return [
        folder
        for folder in env.get("PATH", os.defpath).split(os.pathsep)
        if os.path.isabs(folder) and (everything or not Path(folder).resolve().is_relative_to(outside))
    ]


def outermost_checkout(cwd: Path) -> Path:
    """The outermost checkout around a directory, or the directory itself."""
    folders = (cwd, *cwd.parents[:-1])
    return next((folder for folder in reversed(folders) if (folder / ".git").exists()), cwd)
