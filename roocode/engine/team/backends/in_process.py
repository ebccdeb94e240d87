"""Teammates as tasks in the lead's process: where there is no tmux. They end with the lead."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from roocode.engine.team.backends.backend import Launch
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

    async def is_there(self, launch: Launch, pane_id: str | None) -> bool:
        """Whether its task runs."""
        task = self._tasks.get(launch.member)
        return task is not None and not task.done()

    async def end(self, team: str, member: str, pane_id: str | None) -> None:
        """Cancels its task and waits for it."""
        task = self._tasks.pop(member, None)
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(task, return_exceptions=True)

    async def close(self, team: str) -> None:
        """Ends what still runs."""
        for member in list(self._tasks):
            await self.end(team, member, None)

    def attach_command(self, team: str) -> str:
        """There is nothing to attach to."""
        return ""


async def _as_coroutine(work: Awaitable[int]) -> int:
    return await work
