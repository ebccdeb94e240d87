"""Ending processes that do not end when they are asked to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roocode.engine.team.store.life_lock import LifeLock
from roocode.engine.team.termination import end_holder, end_process, is_running

REPOSITORY = Path(__file__).resolve().parents[3]
HOLDER = """
import signal, sys
from pathlib import Path
from roocode.engine.team.store.life_lock import LifeLock
if sys.argv[2] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = LifeLock(Path(sys.argv[1])).hold()
print("held", flush=True)
while True:
    signal.pause()
"""

Start = Callable[[Path, str], "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a process that holds a lock, `stubborn` or `polite`."""
    started: list[subprocess.Popen[str]] = []

    def begin(lock: Path, manner: str) -> subprocess.Popen[str]:
        argv = [sys.executable, "-c", HOLDER, str(lock), manner]
        process = subprocess.Popen(argv, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize(("manner", "number"), [("polite", signal.SIGTERM), ("stubborn", signal.SIGKILL)])
@pytest.mark.asyncio
async def test_term_first_and_kill_where_it_does_not_help(
    tmp_path: Path, start: Start, manner: str, number: signal.Signals
):
    lock = LifeLock(tmp_path / "x.lock")
    process = start(lock.path, manner)
    assert lock.holder() == process.pid
    assert await end_holder(lock, grace_s=0.3)
    assert lock.holder() is None
    assert process.wait() == -number


@pytest.mark.asyncio
async def test_this_process_is_never_ended(tmp_path: Path):
    lock = LifeLock(tmp_path / "x.lock")
    with lock.hold():
        assert lock.holder() == os.getpid()
        assert not await end_holder(lock, grace_s=0.1)
    assert await end_holder(lock, grace_s=0.1)


@pytest.mark.asyncio
async def test_a_zombie_is_gone(tmp_path: Path, start: Start):
    """Its parent has not waited for it yet, as tmux at times does not."""
    process = start(tmp_path / "x.lock", "polite")
    assert is_running(process.pid)
    assert await end_process(process.pid, grace_s=5)
    assert Path(f"/proc/{process.pid}").exists()
    assert not is_running(process.pid)
    process.wait()
    assert not is_running(process.pid)
    assert await end_process(process.pid, grace_s=0.1)
