"""Ends an agent's commands when the agent is gone, however it went."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from roocode.security.sandbox.process import Process, spawn

_SCRIPT = r"""
trap '' HUP INT TERM QUIT
read -r mark
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -s KILL -- "-$group"; done
rounds=0
while [ "$rounds" -lt 50 ]; do
  found=$(grep -lsF -- "$mark" /proc/[0-9]*/environ)
  [ -n "$found" ] || break
  for file in $found; do pid=${file#/proc/}; kill -s KILL "${pid%/environ}"; done
  rounds=$((rounds + 1))
done
"""
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_CLOSING_S = 5.0


class Watchdog:
    """A small shell that reads a pipe of ours and, at its end, kills what was ours.

    The kernel closes the pipe when this process dies, by SIGKILL too; a shell that waits in `read` costs no
    CPU, and 0.2 MB. It kills the groups that it was told last, and what carries `mark` in its environment.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._process: Process | None = None
        self._pipe = -1
        self._starting = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether it watches."""
        return self._process is not None and not self._process.exited.done()

    @property
    def pid(self) -> int:
        """Its process, 0 before it was started."""
        return self._process.pid if self._process else 0

    async def ensure(self) -> None:
        """Starts the watchdog where it does not run."""
        async with self._starting:
            if not self.running:
                await self._start()

    def tell(self, groups: Iterable[int]) -> None:
        """Says which process groups are ours now."""
        if self._pipe < 0:
            return
        line = " ".join(map(str, groups)) + "\n"
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            os.write(self._pipe, line.encode())

    async def _start(self) -> None:
        await self.close()
        reading, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        os.write(self._pipe, f"{self._mark}\n".encode())
        try:
            self._process = await spawn(
                ["/bin/sh", "-c", _SCRIPT],
                cwd=Path("/"),
                env={"PATH": _SYSTEM_PATH},
                stdin=reading,
                output=asyncio.subprocess.DEVNULL,
            )
        finally:
            os.close(reading)

    async def close(self) -> None:
        """Lets it do its work now, and waits for it."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        if self._process is not None:
            await asyncio.wait({self._process.exited}, timeout=_CLOSING_S)
            self._process.release()
            self._process = None
