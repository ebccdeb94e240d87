"""A session's append-only log: one JSON object a line, flushed as it happens."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import make_private

SCHEMA = 1


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

    Raises HostError where the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
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
        record = {"type": kind, "at": now(), **fields}
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


def records(path: Path) -> Iterator[dict[str, Any] | None]:
    """Yields the records of a log in order, None for a line that is not one of ours.

    Only `\\n` ends a line. Raises UserError when the file is not there.
    """
    try:
        with path.open("rb") as lines:
            for line in lines:
                if line.strip():
                    yield parse(line)
    except FileNotFoundError as error:
        raise UserError(f"no such session: {path}", "roocode sessions list shows what is saved") from error


def parse(line: bytes) -> dict[str, Any] | None:
    """The record in a line, None where it is none of ours."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


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
        git=value.get("git") or {},
        created_at=str(value.get("createdAt", "")),
    )
