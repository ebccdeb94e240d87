"""A server's process and its pipes, whenever a start is given up."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from roocode.security.sandbox.process import until
from roocode.tools.mcp.log import ServerLog
from roocode.tools.mcp.stdio import ServerProcess, Wards

TICKS = 24
"""A start is through after fewer rounds of the event loop, but for its waits for other processes."""


def open_files() -> set[str]:
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.add(f"{descriptor} {os.readlink(f'/proc/self/fd/{descriptor}')}")
    return found


@pytest.mark.asyncio
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not say what is open")
async def test_a_start_that_is_given_up_at_any_moment_leaves_nothing_open(tmp_path: Path) -> None:
    wards = Wards()
    await wards.mark()
    log = ServerLog(tmp_path, "it", lambda text: text)
    before = open_files()
    given_up = 0
    for ticks in range(TICKS):
        start = asyncio.create_task(ServerProcess.start(("cat",), tmp_path, dict(os.environ), wards, log))
        for _ in range(ticks):
            await asyncio.sleep(0)
        start.cancel()
        try:
            process = await start
        except asyncio.CancelledError:
            given_up += 1
        else:
            await process.end()
        assert await until(lambda: open_files() <= before, 10), (ticks, open_files() - before)
    assert given_up
    await wards.close()
