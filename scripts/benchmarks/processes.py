"""Memory and CPU of running processes, and of the whole machine, from /proc: Linux only."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Self

from benchmarks.errors import NotMeasured

PROC = Path("/proc")
EVERY_S = 0.05
CALM_CORES = 0.35
LOOK_S = 0.25


class PeakMemory:
    """Samples, while it is open, the proportional set size of some processes together; `peak` is in MB."""

    def __init__(self, pids: list[int]) -> None:
        if not (PROC / "self/smaps_rollup").exists():
            raise NotMeasured("needs /proc/PID/smaps_rollup (Linux)")
        self.peak = 0.0
        self._pids = pids
        self._ended = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._sampler.join()

    def _sample(self) -> None:
        while not self._ended.wait(EVERY_S):
            self.peak = max(self.peak, sum(map(_pss_mb, self._pids)))


def cpu_s(pid: int) -> float:
    """CPU seconds that all threads of a process have run, to the nanosecond. Raises NotMeasured."""
    try:
        threads = list((PROC / str(pid) / "task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
    except OSError as error:
        raise NotMeasured(f"needs /proc/PID/task/*/schedstat (Linux): {error.strerror}") from error


def wait_for_calm(at_most_s: float) -> None:
    """Waits until less than CALM_CORES cores are busy; at once where that cannot be seen."""
    ends = time.monotonic() + at_most_s
    before = _busy_s()
    while before is not None and time.monotonic() < ends:
        time.sleep(LOOK_S)
        now = _busy_s()
        if now is None or now - before < CALM_CORES * LOOK_S:
            return
        before = now


def _busy_s() -> float | None:
    """CPU seconds that all cores have been busy since the machine began."""
    try:
        user, nice, system, _idle, _wait, *rest = map(int, (PROC / "stat").read_text().split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def _pss_mb(pid: int) -> float:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
