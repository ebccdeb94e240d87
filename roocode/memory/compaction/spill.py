"""Big tool results: whole on disk, their head and tail in the conversation."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from roocode.protocol.errors import HostError
from roocode.protocol.messages import ToolResult

LONGEST = 50_000
"""Characters that a result may have in a conversation, in a window that has room for them."""
SHARE = 8
"""At most this part of a window goes to one result."""
CHARACTERS_PER_TOKEN = 4

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def spilled(log: Path) -> Path:
    """Where the big results of a conversation lie: beside its log."""
    return log.with_suffix("")


class Spill:
    """Writes results to `folder`, one file a call, for their owner alone.

    `window` is the model's, in tokens. Raises HostError when the disk refuses.
    """

    def __init__(self, folder: Path, window: int) -> None:
        self.folder = folder
        self.longest = min(LONGEST, window * CHARACTERS_PER_TOKEN // SHARE)

    def __call__(self, result: ToolResult) -> ToolResult:
        """The result as the conversation keeps it: itself, or head and tail with the path of the whole."""
        text = result.content
        if len(text) <= self.longest:
            return result
        path = self._write(result)
        half = self.longest // 2
        head, tail = _to_line_end(text[:half]), _from_line_start(text[-half:])
        gone = len(text) - len(head) - len(tail)
        shown = f"{head}\n[… {gone:,} of {len(text):,} characters left out; all of it: {path} …]\n{tail}"
        return replace(result, content=shown)

    def _write(self, result: ToolResult) -> Path:
        name = _UNSAFE.sub("_", result.call_id)[:80] or "result"
        data = result.content.encode("utf-8", "surrogatepass")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(1, 10_000):
                path = self.folder / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
                try:
                    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
                except FileExistsError:
                    continue
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                return path
        except OSError as error:
            raise HostError(
                f"cannot keep a big result in {self.folder}: {error.strerror}", "make room on the disk"
            ) from error
        raise HostError(f"{self.folder} is full of results of {name}", "remove old ones")


def _to_line_end(text: str) -> str:
    """Without a torn last line, unless that would cost more than half."""
    end = text.rfind("\n")
    return text[:end] if end > len(text) // 2 else text


def _from_line_start(text: str) -> str:
    start = text.find("\n")
    return text[start + 1 :] if 0 <= start < len(text) // 2 else text
