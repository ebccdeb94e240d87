"""How far the reading of a big log is, on standard error."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 1.0
"""Reading that takes longer says so, and again each time it has taken as long."""
_MEGABYTE: Final = 1_000_000


class Progress:
    """Hears how many bytes were read of a file."""

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self._size = path.stat().st_size if path.exists() else 0
        self._read = 0
        self._patience_s = patience_s
        self._tell_at = time.monotonic() + patience_s

    def __call__(self, size: int) -> None:
        """So many bytes more are read."""
        self._read += size
        now = time.monotonic()
        if now < self._tell_at or not self._size:
            return
        self._tell_at = now + self._patience_s
        share = min(100 * self._read // self._size, 100)
        megabytes = f"{self._size / _MEGABYTE:,.0f} MB"
        print(f"reading the session: {share} % of {megabytes}", file=sys.stderr, flush=True)
