"""What a server says on its standard error, and what of its output is not understood: a file, masked."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from roocode.security.isolation.masking import Mask
from roocode.security.isolation.private_paths import make_private

MOST_BYTES = 1_000_000
_LONGEST_LINE = 8_000
_SHOWN = 200
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


class ServerLog:
    """The log of one server, for its owner alone; it begins anew when it has grown too large.

    `last` is the last line of its standard error. What comes in one start is cut at MOST_BYTES. A disk that
    refuses is no reason to stop a server.
    """

    def __init__(self, folder: Path, server: str, mask: Mask) -> None:
        self.path = folder / f"{_ODD.sub('_', server).strip('.')[:80] or 'server'}.log"
        self._mask = mask
        self._room = MOST_BYTES
        self._rest = b""
        self._descriptor = -1
        self.last = ""

    def begin(self) -> None:
        """Opens the file for one more start of the server."""
        self.close()
        self._room, self._rest, self.last = MOST_BYTES, b"", ""
        try:
            make_private(self.path.parent)
            if self.path.exists() and self.path.stat().st_size > MOST_BYTES:
                self.path.unlink()
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o600)
        except OSError:
            return
        self._write(f"--- started {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\n")

    def feed(self, data: bytes) -> None:
        """Takes a piece of the server's standard error; a line is written when it is whole."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            lines, self._rest = [*lines, self._rest], b""
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self.note(text)
        self.last = self._mask(text[:_SHOWN]).strip() or self.last

    def note(self, text: str) -> None:
        """Writes one line."""
        self._write(self._mask(text[:_LONGEST_LINE]) + "\n")

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        if self._descriptor < 0 or self._room <= 0:
            return
        self._room -= len(data)
        try:
            os.write(self._descriptor, data if self._room > 0 else b"[the rest is left out]\n")
        except OSError:
            self._room = 0

    def close(self) -> None:
        """Writes what is left and closes the file."""
        if self._descriptor >= 0:
            if self._rest:
                self._take(self._rest)
            os.close(self._descriptor)
            self._descriptor = -1
