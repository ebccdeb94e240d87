"""A command dies with its agent, even when the agent is killed without a chance to clean up."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from roocode.security.sandbox.descendants import alive
from roocode.security.sandbox.process import Process, spawn, until
from roocode.security.sandbox.watchdog import Watchdog
from tests.processes import processes_of
from tests.security.sandbox.boxes import needs_bubblewrap

REPOSITORY = Path(__file__).parents[3]
AGENT = """
import asyncio, os, signal, sys
from pathlib import Path
from roocode.security.sandbox.shell import Shells
from tests.security.sandbox.boxes import confined

async def main() -> None:
    env = {"PATH": os.environ["PATH"]}
    confinement = None
    if len(sys.argv) > 4:
        confinement = confined(Path.cwd(), env)
    spool = Path.cwd() / "spool"
    shells = Shells(env, spool=spool, confinement=confinement)
    job = await shells.start(sys.argv[2], cwd=Path.cwd())
    while job.output.read_bytes().count(b"\\n") < int(sys.argv[3]):
        await asyncio.sleep(0.01)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
LINES = [
    "sleep 62 & echo $!; echo $$; wait",
    "setsid sleep 62 & echo $!; wait",
    "(setsid sh -c 'sleep 62 & echo $!'); sleep 62",
    "trap '' TERM HUP; env -i sleep 62 & echo $!; sleep 62",
    "nohup bash -c 'sleep 62 & echo $!; wait' & wait",
]


async def agent(how: str, line: str, cwd: Path, *more: str) -> list[int]:
    """Runs an agent that starts a line and ends in this way; gives the processes that the line named."""
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    count = line.count("echo")
    process: Process = await spawn(
        [sys.executable, "-c", AGENT, how, line, str(count), *more], cwd=cwd, env=env
    )
    await process.finished()
    process.release()
    (output,) = cwd.glob("spool/*.txt")
    return [int(word) for word in output.read_text().split() if word.isdecimal()]


@pytest.mark.asyncio
@pytest.mark.parametrize("line", LINES)
async def test_commands_die_with_a_killed_agent(tmp_path: Path, line: str) -> None:
    named = await agent("killed", line, tmp_path)
    assert named
    assert await until(lambda: not any(map(alive, named)), 10)


@pytest.mark.asyncio
async def test_commands_die_with_an_agent_that_just_leaves(tmp_path: Path) -> None:
    named = await agent("left", LINES[0], tmp_path)
    assert named
    assert await until(lambda: not any(map(alive, named)), 10)


@needs_bubblewrap
@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["killed", "left"])
@pytest.mark.parametrize("line", [*LINES, "env -i setsid sleep 62 & echo $!; sleep 62"])
async def test_what_is_in_a_sandbox_dies_with_its_agent(tmp_path: Path, how: str, line: str) -> None:
    assert await agent(how, line, tmp_path, "sandboxed")
    assert await until(lambda: not processes_of(tmp_path), 10)


@pytest.mark.asyncio
async def test_it_touches_nothing_but_its_own(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"]}
    mine = await spawn(
        ["sleep", "63"], cwd=tmp_path, env={**env, "MARK": "mine."}, output=asyncio.subprocess.DEVNULL
    )
    other = await spawn(
        ["sleep", "63"], cwd=tmp_path, env={**env, "MARK": "other."}, output=asyncio.subprocess.DEVNULL
    )
    watchdog = Watchdog("MARK=mine.")
    await watchdog.ensure()
    watchdog.tell([])
    await watchdog.close()
    assert await until(mine.exited.done, 5)
    assert not other.exited.done()
    os.kill(other.pid, 9)
    await other.exited
    mine.release()
    other.release()


@pytest.mark.asyncio
async def test_it_is_started_again_when_it_is_gone(tmp_path: Path) -> None:
    sleeper = await spawn(
        ["sleep", "63"], cwd=tmp_path, env=dict(os.environ), output=asyncio.subprocess.DEVNULL
    )
    watchdog = Watchdog("MARK=none.")
    await watchdog.ensure()
    first = watchdog.pid
    os.kill(first, 9)
    assert await until(lambda: not alive(first), 5)
    assert await until(lambda: not watchdog.running, 5)
    watchdog.tell([sleeper.pid])
    await watchdog.ensure()
    watchdog.tell([sleeper.pid])
    assert watchdog.pid != first
    await watchdog.close()
    assert await until(sleeper.exited.done, 5)
    sleeper.release()
