"""Keeps the namespaces of one agent alive, so that its commands see each other and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.security.sandbox.bubblewrap import Programs, holder_argv
from roocode.security.sandbox.descendants import children_of, reap_orphans
from roocode.security.sandbox.process import Process, spawn, until

_START_S = 10.0
_END_S = 2.0


class Holder:
    """A process in bubblewrap that waits; process 1 of its namespace is `init`, by the host's number."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._starting = asyncio.Lock()
        self._pipe = -1
        self.init = 0

    @property
    def running(self) -> bool:
        """Whether the namespaces are there to be entered."""
        return self._process is not None and not self._process.exited.done()

    async def ensure(self, programs: Programs, env: Mapping[str, str]) -> None:
        """Starts it where it does not run. Raises HostError with bubblewrap's own words."""
        async with self._starting:
            if not self.running:
                await self._start(programs, env)

    async def _start(self, programs: Programs, env: Mapping[str, str]) -> None:
        await self.close()
        reading, self._pipe = os.pipe()
        try:
            process = await spawn(holder_argv(programs), cwd=Path("/"), env=env, stdin=reading)
        finally:
            os.close(reading)
        self._process = process
        await until(lambda: process.exited.done() or b"ready" in process.written(1), _START_S)
        if process.exited.done():
            await process.finished()
        found = children_of(process.pid)
        if process.exited.done() or b"ready" not in process.written(1) or len(found) != 1:
            said = process.written(2).decode(errors="replace").strip() or "it did not come up"
            await self.close()
            raise HostError(said)
        (self.init,) = found

    async def close(self) -> None:
        """Ends it, and with it all that runs in its namespaces.

        Process 1 first: its parent takes its exit status then, and goes.
        """
        process, init = self._process, self.init
        self._process, self.init = None, 0
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        if process is None:
            return
        for pid in (init, process.pid):
            if pid and not process.exited.done():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                await asyncio.wait({process.exited}, timeout=_END_S)
        reap_orphans()
        process.release()
