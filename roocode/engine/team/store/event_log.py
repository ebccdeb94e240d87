"""The append-only record of what a team did: events.jsonl."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from roocode.engine.team.codec import Malformed, decode, encode, timestamp
from roocode.engine.team.store.shared_file import locked
from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen

TAIL = 4096


@frozen
class Record:
    """One line: `seq` counts from 1 and never repeats, `kind` is one of TeamEvent's."""

    seq: int
    timestamp: str
    kind: str
    team: str
    member: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


class EventLog:
    """Lines are numbered under a lock and written by one call each; a torn last line is dropped."""

    def __init__(self, path: Path, team: str) -> None:
        self.path = path
        self._team = team

    def append(self, kind: str, member: str, detail: Mapping[str, Any]) -> Record:
        """Adds a line. Not synced: it outlives any process, not a power cut. Raises HostError."""
        with locked(self.path):
            try:
                return self._append(kind, member, detail)
            except OSError as error:
                raise HostError(f"cannot write {self.path}: {error.strerror}") from error

    def append_if(
        self,
        condition: Callable[[tuple[Record, ...]], None],
        kind: str,
        member: str,
        detail: Mapping[str, Any],
    ) -> Record:
        """Adds a line once `condition` has seen all lines before it, which stay the last ones meanwhile.

        What it raises passes through, and nothing is added. Raises HostError.
        """
        with locked(self.path):
            condition(self.read())
            try:
                return self._append(kind, member, detail)
            except OSError as error:
                raise HostError(f"cannot write {self.path}: {error.strerror}") from error

    def read(self, after: int = 0) -> tuple[Record, ...]:
        """Whole lines with a number above `after`. Raises HostError where a line is broken."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise HostError(f"cannot read {self.path}: {error.strerror}") from error
        lines = content.split(b"\n")[:-1]
        records = (self._parse(number, line) for number, line in enumerate(lines, 1) if line)
        return tuple(record for record in records if record.seq > after)

    def _append(self, kind: str, member: str, detail: Mapping[str, Any]) -> Record:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            size, last = _last_line(descriptor)
            os.ftruncate(descriptor, size)
            seq = self._parse(0, last).seq + 1 if last else 1
            record = Record(seq, timestamp(), kind, self._team, member, detail)
            line = json.dumps(encode(record)).encode() + b"\n"
            if os.write(descriptor, line) != len(line):
                os.ftruncate(descriptor, size)
                raise HostError(f"cannot write {self.path}: the disk is full")
            return record
        finally:
            os.close(descriptor)

    def _parse(self, number: int, line: bytes) -> Record:
        try:
            return decode(Record, json.loads(line))
        except (ValueError, Malformed) as error:
            place = f"line {number}" if number else "the last line"
            raise HostError(
                f"{self.path} is broken in {place}: {error}", "Remove that line; nothing was changed."
            ) from error


def _last_line(descriptor: int) -> tuple[int, bytes]:
    """The size up to the last newline, and the line that ends there."""
    end = os.fstat(descriptor).st_size
    reach = TAIL
    while True:
        start = max(0, end - reach)
        block = os.pread(descriptor, end - start, start)
        whole, newline, _ = block.rpartition(b"\n")
        if newline and (b"\n" in whole or start == 0):
            return start + len(whole) + 1, whole.rpartition(b"\n")[2]
        if start == 0:
            return 0, b""
        reach *= 2
