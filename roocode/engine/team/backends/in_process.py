"""Teammates as tasks in the lead's process: where there is no tmux. They end with the lead."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from roocode.engine.team.backends.backend import Launch
from roocode.engine.team.termination import GRACE_S
from roocode.protocol.team import BackendName


class InProcessBackend:
    """Runs each member as a task. `run_member` takes the handshake's path and lives as long as the member.

    It must change nothing of the process: no working directory, no environment, no signal handler.
    """

    name: BackendName = "in-process"

    def __init__(self, run_member: Callable[[Path], Awaitable[int]]) -> None:
        self._run_member = run_member
        self._tasks: dict[str, asyncio.Task[int]] = {}

    async def start(self, launch: Launch) -> None:
        """Starts the member's task."""
        self._tasks[launch.member] = asyncio.create_task(
            _as_coroutine(self._run_member(launch.handshake)), name=f"teammate {launch.member}"
        )

    async def is_there(self, member: str) -> bool:
        """Whether its task runs."""
        task = self._tasks.get(member)
        return task is not None and not task.done()

    async def end(self, member: str) -> None:
        """Cancels its task, and waits while it commits its work; one that hangs is left behind."""
        task = self._tasks.pop(member, None)
        if task is not None:
            task.cancel()
            done, _ = await asyncio.wait({task}, timeout=GRACE_S)
            for ended in done:
                _ = ended.cancelled() or ended.exception()

    async def close(self) -> None:
        """Ends what still runs."""
        await asyncio.gather(*(self.end(member) for member in list(self._tasks)))

    def attach_command(self) -> str:
        """There is nothing to attach to."""
        return ""


async def _as_coroutine(work: Awaitable[int]) -> int:
    return await work
