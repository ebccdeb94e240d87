"""A session's append-only log: one JSON object a line, flushed as it happens."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import make_private

SCHEMA = 1
LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes; the longest record of ours, a prompt of 10 MB whose every character is escaped, is shorter."""
DAMAGED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What reading a record of a foreign shape raises."""
BLANK: Final = b"\0 \t\r\n"
"""Bytes that may stand beside a record: a machine that crashes leaves NUL bytes in a file."""
_START: Final = b'{"type":"'


def now() -> str:
    """The time as ISO 8601 in UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@frozen
class Header:
    """The first record: where and with what a session was opened. `system` is frozen for its life."""

    id: str
    cwd: str
    model: str
    mode: str
    system: str
    agent: str = "main"
    name: str = ""
    git: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""


class SessionLog:
    """Appends records to a file of mode 0600; each is one write of one line, so lines never mix.

    Each has a `key` that no other has, so that a copy of it is known. Threads may share a log. Raises
    HostError where the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = uuid.uuid4().hex[:12]
        self._count = 0
        self._lock = threading.Lock()
        try:
            make_private(path.parent)
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise HostError(
                f"cannot open the session log {path}: {error.strerror}",
                "make it writable, or set ROOCODE_HOME to a directory of yours",
            ) from error
        self._end_torn_line()

    def append(self, kind: str, /, **fields: Any) -> None:
        """Writes one record. Raises HostError when the disk refuses it: nothing is then acknowledged."""
        with self._lock:
            self._count += 1
            record = {"type": kind, "at": now(), "key": f"{self._writer}.{self._count}", **fields}
            line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
            try:
                written = os.write(self._fd, line)
            except OSError as error:
                raise HostError(f"cannot write the session log {self.path}: {error.strerror}") from error
        if written != len(line):
            raise HostError(f"cannot write the session log {self.path}: the disk is full")

    def close(self) -> None:
        """Closes the file."""
        os.close(self._fd)

    def _end_torn_line(self) -> None:
        size = os.fstat(self._fd).st_size
        if size and os.pread(self._fd, 1, size - 1) != b"\n":
            os.write(self._fd, b"\n")


def records(
    path: Path, *, only: Collection[str] = (), read: Callable[[int], None] = lambda size: None
) -> Iterator[dict[str, Any] | None]:
    """Yields the records of a log in order, None for a line that is not one of ours; a copy is left out.

    `only` names the types that are wanted: others may be left out unread. `read` hears the size of each line.
    Raises UserError when the file is not there.
    """
    keys = Keys()
    wanted = frozenset(kind.encode() for kind in only)
    for _, line in lines(path, read):
        if wanted and line is not None and _is_another(line, wanted):
            continue
        record = None if line is None else parse(line)
        if record is None or not keys.again(record):
            yield record


def _is_another(line: bytes, wanted: Collection[bytes]) -> bool:
    """Whether a line begins as ours do, with a type that is not wanted."""
    return line.startswith(_START) and line[len(_START) : line.find(b'"', len(_START))] not in wanted


def lines(path: Path, read: Callable[[int], None] = lambda size: None) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, with their numbers from 1; None for one that is longer than LONGEST_LINE.

    Only `\\n` ends a line. No more than one is in memory. Raises UserError when the file is not there.
    """
    number = 1
    try:
        with path.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                read(len(line))
                is_whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
                if not is_whole and line.strip(b"\0"):
                    line = b""
                    yield number, None
                    while (rest := file.readline(LONGEST_LINE // 64)) and not rest.endswith(b"\n"):
                        read(len(rest))
                elif line.strip(BLANK):
                    yield number, line
                number += is_whole or not line
    except FileNotFoundError as error:
        raise UserError(f"no such session: {path}", "roocode sessions list shows what is saved") from error


def parse(line: bytes) -> dict[str, Any] | None:
    """The record in a line, None where it is none of ours.

    Bytes of NUL around it are what a crash of the machine leaves; a byte that is no UTF-8 spoils one letter.
    """
    line = line.strip(BLANK)
    try:
        try:
            value = json.loads(line)
        except UnicodeDecodeError:
            value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


class Keys:
    """The keys of records that were read, a byte for each."""

    def __init__(self) -> None:
        self._read: dict[str, bytearray] = {}

    def again(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is the copy of an earlier one; one without a key of ours never is."""
        key = record.get("key")
        writer, _, count = key.rpartition(".") if isinstance(key, str) else ("", "", "")
        if not (count.isascii() and count.isdecimal() and len(count) <= 7):
            return False
        read, number = self._read.setdefault(writer, bytearray()), int(count)
        if number >= len(read):
            read.extend(bytes(number + 1 - len(read)))
        again, read[number] = bool(read[number]), 1
        return again


def header_to_json(header: Header) -> dict[str, Any]:
    """The fields of the header's record."""
    return {
        "schema": SCHEMA,
        "id": header.id,
        "cwd": header.cwd,
        "model": header.model,
        "mode": header.mode,
        "system": header.system,
        "agent": header.agent,
        "name": header.name,
        "git": dict(header.git),
        "createdAt": header.created_at or now(),
    }


def header_from_json(value: Mapping[str, Any]) -> Header:
    """The inverse of `header_to_json`. Raises UserError for a log of a newer RooCode."""
    git = value.get("git") or {}
    if int(value.get("schema", SCHEMA)) > SCHEMA:
        raise UserError("this session was written by a newer RooCode", "update RooCode to open it")
    return Header(
        id=str(value.get("id", "")),
        cwd=str(value.get("cwd", "")),
        model=str(value.get("model", "")),
        mode=str(value.get("mode", "default")),
        system=str(value.get("system", "")),
        agent=str(value.get("agent", "main")),
        name=str(value.get("name", "")),
        git=git if isinstance(git, Mapping) else {},
        created_at=str(value.get("createdAt", "")),
    )
