"""No server outlives us: a hundred starts, each host or one of its servers killed at some moment."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
QUIRKS = ("plain", "clings", "mute", "silent", "junk")
HOSTS = 20
WITHIN_S = 40.0


def carrying(mark: str) -> list[int]:
    """The processes that have the mark in their environment."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            environ = Path("/proc", name, "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in environ:
            found.append(int(name))
    return found


def until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Host:
    """One process with five servers."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.mcp_host", str(folder), *QUIRKS],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        assert self.process.stdout is not None
        self.mark: str = json.loads(self.process.stdout.readline())["mark"]

    def hear(self, lines: int) -> None:
        """Waits for this many lines of what becomes of its servers."""
        assert self.process.stdout is not None
        for _ in range(lines):
            self.process.stdout.readline()

    def forget(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to look in")
@pytest.mark.timeout(600)
def test_nothing_is_left_after_a_hundred_starts_with_random_kills(tmp_path: Path) -> None:
    chance = random.Random(60)
    marks = []
    for _ in range(HOSTS):
        host = Host(tmp_path)
        marks.append(host.mark)
        host.hear(chance.randrange(0, 8))
        way = chance.choice(("kill", "kill", "term", "end", "servers"))
        if way == "servers":
            for pid in carrying(host.mark):
                if chance.random() < 0.5:
                    with_no_complaint(pid)
            host.hear(1)
            way = chance.choice(("kill", "end"))
        {"kill": host.process.kill, "term": host.process.terminate, "end": host.end}[way]()
        host.process.wait(WITHIN_S)
        host.forget()

    left = [mark for mark in marks if not until(lambda mark=mark: not carrying(mark))]  # type: ignore[misc]
    assert left == [], [carrying(mark) for mark in left]


def with_no_complaint(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
