"""One shell line that runs: waited for, limited, and ended with everything that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.descendants import (
    adopted,
    alive,
    belonging,
    children,
    children_of,
    command_line,
    group_alive,
    inner_pid,
    reap_orphans,
    started,
    stray,
)
from roocode.security.sandbox.process import Process, signal_group, until

_WATCH_S = 0.1
_LEFTOVERS_S = 0.2
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LONGEST_PATH = 4096

EndReason: TypeAlias = Literal["exit", "timeout", "flood", "killed"]


@frozen
class Ended:
    """How a command ended: `code` is negative for a signal; `flood` means too much output."""

    code: int
    why: EndReason


@frozen
class Leftover:
    """A process that a command left running; `known_as` is its number where the commands themselves look."""

    pid: int
    command: str
    known_as: int


@frozen
class Limits:
    """What a command may use: bytes of output, seconds until KILL follows TERM, seconds of life."""

    output: int
    grace_s: float
    life_s: float


class Job:
    """A command that runs or ran. `output` is the file that takes its standard output and error.

    `id` is `b1`, `b2` … for one in the background, else empty. `mark` stands in the environment of all that
    it starts; `others` were children of this process before, or of `init`, process 1 of the sandbox that it
    runs in. `granted` says whether it has the network there, `novelties` what it made of protected names.
    """

    def __init__(
        self,
        id: str,
        command: str,
        process: Process,
        output: Path,
        mark: str,
        limits: Limits,
        others: set[int],
        *,
        init: int = 0,
        granted: bool = True,
    ) -> None:
        self.id = id
        self.command = command
        self.output = output
        self.group = process.pid
        self._process = process
        self._mark = mark
        self._limits = limits
        self._others = others
        self._init = init
        self.granted = granted
        self.novelties: tuple[str, ...] = ()
        self._why: EndReason = "exit"
        self._strays: set[int] = set()

    @property
    def sandboxed(self) -> bool:
        """Whether it runs in the operating system's sandbox."""
        return self._init != 0

    @property
    def ended(self) -> Ended | None:
        """How the shell itself ended; None while it runs."""
        return Ended(self._process.exited.result(), self._why) if self._process.exited.done() else None

    @property
    def size(self) -> int:
        """Bytes of output so far."""
        try:
            return self.output.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def final_cwd(self) -> Path | None:
        """Where the shell stood when it ended, if it could have moved and said so."""
        try:
            descriptor = os.open(self.output.with_suffix(".cwd"), _READ)
        except OSError:
            return None
        try:
            told = os.read(descriptor, _LONGEST_PATH).removesuffix(b"\n")
        finally:
            os.close(descriptor)
        return Path(os.fsdecode(told)) if told else None

    async def wait(self, timeout_s: float) -> Ended:
        """Waits until the shell exits, and for nothing that it left in the background.

        After `timeout_s` seconds, or on a cancel, the command is ended with all that it started.
        """
        try:
            done, _ = await asyncio.wait({self._process.exited}, timeout=timeout_s)
        except asyncio.CancelledError:
            await self.end("killed")
            raise
        if not done:
            await self.end("timeout")
        return self.ended or Ended(-signal.SIGKILL, self._why)

    async def end(self, why: EndReason = "killed") -> None:
        """Ends the command and all that it started: TERM, then KILL; a cancel meanwhile sends the KILL."""
        if self.ended is None and self._why == "exit":
            self._why = why
        self._signal(signal.SIGTERM)
        try:
            await self._gone()
        finally:
            self._signal(signal.SIGKILL)
        await self._gone()
        await asyncio.wait({self._process.exited}, timeout=self._limits.grace_s)
        if not self._process.exited.done() and not group_alive(self.group):
            # Nothing of it is there: whoever took its exit code has told nobody.
            self._process.exited.set_result(-signal.SIGKILL)

    async def _gone(self) -> None:
        await until(lambda: not self._anything_left(), self._limits.grace_s)

    def _newcomers(self) -> set[int]:
        """Orphans that came while the command ran: they go to us, or to process 1 of its sandbox."""
        found = children() - started.pids | (children_of(self._init) if self._init else set())
        return found - self._others

    def _anything_left(self) -> bool:
        reap_orphans(self._newcomers())
        return group_alive(self.group) or bool(self._living())

    def _living(self) -> set[int]:
        marking = self._mark.partition("=")[0] + "="
        ours = belonging(self._mark, self.group) | adopted(children() - self._others, marking)
        if not self._init:
            return ours
        return ours | stray(children_of(self._init) - self._others, marking)

    def _signal(self, number: signal.Signals) -> None:
        signal_group(self.group, number)
        for pid in self._living():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def leftovers(self) -> tuple[Leftover, ...]:
        """What still runs after the shell's exit."""
        depth = 1 if self._init else 0
        return tuple(
            Leftover(pid, command_line(pid), inner_pid(pid, depth))
            for pid in sorted(self._survey())
            if alive(pid)
        )

    def _survey(self) -> set[int]:
        """What the command left; looked for again where the last look saw a process that was just going."""
        if not any(map(alive, self._strays)):
            reap_orphans(self._newcomers())
            anything = group_alive(self.group) or self._newcomers()
            self._strays = self._living() if anything else set()
        return self._strays

    async def watch(self) -> None:
        """Keeps the limits until nothing of the command is left, and reaps what it left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.life_s
        try:
            while self.ended is None:
                await asyncio.wait({self._process.exited}, timeout=_WATCH_S)
                await self._keep_limits(outlived=loop.time() > deadline)
            strays = self._survey()
            while group_alive(self.group) or any(map(alive, strays)):
                await asyncio.sleep(_LEFTOVERS_S)
                await self._keep_limits(outlived=loop.time() > deadline)
                reap_orphans(self._newcomers())
            reap_orphans(self._newcomers())
        finally:
            self._process.release()

    async def _keep_limits(self, *, outlived: bool) -> None:
        if self.size > self._limits.output:
            await self.end("flood")
            os.truncate(self.output, self._limits.output)
        elif outlived:
            await self.end("timeout")

    def discard(self) -> None:
        """Removes the output and what stands beside it."""
        for suffix in (".txt", ".cwd", ".rc"):
            self.output.with_suffix(suffix).unlink(missing_ok=True)
