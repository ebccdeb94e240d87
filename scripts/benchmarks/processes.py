"""Memory and CPU of running processes, from /proc; Linux only."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self

from benchmarks.workbench import NotMeasured

PROC = Path("/proc")
EVERY_S = 0.05


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


def _pss_mb(pid: int) -> float:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
