"""The processes of one test: those that carry its own directory in their command line or environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path


def processes_of(directory: Path) -> dict[int, str]:
    """The living ones, this process excepted: command line by pid."""
    mark, found = str(directory).encode(), dict[int, str]()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes()
            if line and (mark in line or mark in (entry / "environ").read_bytes()):
                found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def end_processes_of(directory: Path, rounds: int = 50) -> None:
    """Kills them, and what they start meanwhile. Raises AssertionError where some do not end."""
    for _ in range(rounds):
        found = processes_of(directory)
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    left = processes_of(directory)
    assert not left, f"killed {rounds} times and still there: {left}"


def outer_pid(number: int, directory: Path, rounds: int = 500) -> int:
    """The host's number of a process of `directory` that has this number where it runs, sandboxed or not.

    One that was just forked carries the directory only once it has become its program.
    """
    for _ in range(rounds):
        for pid in processes_of(directory):
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{pid}/status").read_text()
                line = next(line for line in status.splitlines() if line.startswith("NSpid:"))
                if int(line.split()[-1]) == number:
                    return pid
        time.sleep(0.02)
    raise AssertionError(f"no process of {directory} has the number {number}")
