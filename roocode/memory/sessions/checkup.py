"""Finds what is wrong with a saved session, and writes a mended copy of it; the original is never lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from roocode.memory.sessions import codec
from roocode.memory.sessions.log import BLANK, DAMAGED, Keys, header_from_json, lines, now, parse
from roocode.memory.sessions.pairing import LOST
from roocode.memory.sessions.turns import turn_of
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, ToolResult


@frozen
class Fault:
    """What is wrong, and in which line of the file (from 1)."""

    line: int
    what: str


NO_HEADER: Final = Fault(1, "there is no header: this is no session")


def check(path: Path, keep: Callable[[bytes], object] = lambda line: None) -> tuple[Fault, ...]:
    """Looks at every line: torn, foreign, damaged, copied; calls without a result, results without a call.

    `keep` gets the lines of the log without its faults, one at a time: a log may be of any size.
    """
    checkup = _Checkup(keep)
    for number, line in lines(path):
        checkup.take(number, line)
    return checkup.end()


def repair(path: Path) -> Path | None:
    """Replaces a faulty log by its mended copy and keeps the old file; returns where, None if all is sound.

    Raises UserError where nothing can be made of it, HostError where it changes meanwhile.
    """
    before = path.stat()
    mended = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(mended, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            faults = check(path, out.write)
            out.flush()
            os.fsync(out.fileno())
        if not faults:
            return None
        if NO_HEADER in faults:
            raise UserError(f"{path} holds no session", "there is nothing to go on from")
        return _replaced(path, mended, before)
    finally:
        mended.unlink(missing_ok=True)


def _replaced(path: Path, mended: Path, before: os.stat_result) -> Path:
    os.utime(mended, ns=(before.st_atime_ns, before.st_mtime_ns))
    kept = _unused(path)
    shutil.copy2(path, kept)
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        kept.unlink()
        raise HostError(f"{path} is being written", "end the session that uses it, then try again")
    os.replace(mended, path)
    return kept


class _Checkup:
    """A log as far as it was looked at."""

    def __init__(self, keep: Callable[[bytes], object]) -> None:
        self._keep = keep
        self._faults: list[Fault] = []
        self._keys = Keys()
        self._calls: dict[str, int] = {}
        self._has_header = False

    def take(self, number: int, line: bytes | None) -> None:
        """The next line, None for one that is too long to be ours."""
        record = None if line is None else parse(line)
        if line is None or record is None:
            self._fault(number, "not a record of ours, or a torn one")
            return
        try:
            message = _message(record)
            if record["type"] == "session":
                header_from_json(record)
        except (*DAMAGED, UserError) as error:
            what = f"a damaged record of type {record['type']} ({type(error).__name__}: {error})"
            self._fault(number, what)
            return
        if self._is_copy(number, record):
            return
        if line.strip() != line.strip(BLANK) or not line.isascii():
            line = self._rewritten(number, line, record)
        if message is not None and message.role == "assistant":
            self._close()
            self._calls = {call.id: number for call in message.calls}
        elif message is not None and self._is_unasked(number, record, message):
            return
        self._keep(line.strip() + b"\n")

    def end(self) -> tuple[Fault, ...]:
        """All that was found."""
        self._close()
        return (*(() if self._has_header else (NO_HEADER,)), *self._faults)

    def _fault(self, number: int, what: str) -> None:
        self._faults.append(Fault(number, what))

    def _is_copy(self, number: int, record: Mapping[str, Any]) -> bool:
        is_header = record["type"] == "session"
        copied = self._keys.again(record) or (is_header and self._has_header)
        self._has_header |= is_header
        if copied:
            self._fault(number, f"a second header, or a copy of a record of type {record['type']}")
        return copied

    def _rewritten(self, number: int, line: bytes, record: Mapping[str, Any]) -> bytes:
        """The record as we write it, where bytes that are none of it stand in its line."""
        try:
            line.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            self._fault(number, "bytes that are no UTF-8 in a record: each is a replacement character")
        if line.strip() != line.strip(BLANK):
            self._fault(number, "NUL bytes beside a record")
        return _written(record)

    def _close(self) -> None:
        for call, line in self._calls.items():
            self._fault(line, f"call {call} has no result")
            record = {
                "type": "result",
                "at": now(),
                "result": codec.block_to_json(ToolResult(call, LOST, True)),
            }
            self._keep(_written(record))
        self._calls = {}

    def _is_unasked(self, number: int, record: Mapping[str, Any], message: Message) -> bool:
        """Whether there are results without a call; the rest of their message is kept."""
        unasked = [r for r in message.results if self._calls.pop(r.call_id, None) is None]
        if unasked:
            ids = ", ".join(result.call_id for result in unasked)
            self._fault(number, f"a result belongs to no open call: {ids}")
            if blocks := tuple(block for block in message.blocks if block not in unasked):
                rest = codec.message_to_json(Message(message.role, blocks))
                self._keep(_written({**record, "message": rest}))
        return bool(unasked)


def _written(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _message(record: dict[str, Any]) -> Message | None:
    """What a record adds to the conversation. Raises KeyError, TypeError or ValueError for a damaged one."""
    match record["type"]:
        case "prompt":
            set(record.get("mail", ()))
            return codec.message_from_json(record["message"])
        case "reply":
            return codec.reply_from_json(record).message
        case "result":
            return Message("user", (codec.block_from_json(record["result"]),))
        case "compaction":
            codec.usage_from_json(record["usage"])
            for message in record["messages"]:
                codec.message_from_json(message)
            return None
        case "rewind":
            int(record["turn"])
            for item in record["todos"]:
                dict(item)
            for message in record["messages"]:
                codec.message_from_json(message)
            codec.seen_from_json(record.get("seen", {}))
            return None
        case "skill":
            codec.skills_from_json([record])
            return None
        case "turn" | "snapshot":
            turn_of(record)
            return None
        case "todos":
            for item in record["items"]:
                dict(item)
            return None
        case "seen":
            codec.seen_from_json(record["files"])
            return None
        case "spent":
            codec.usage_from_json(record["usage"])
            str(record["by"])
            return None
        case "git" | "budget":
            dict(record["state" if record["type"] == "git" else "limits"])
            return None
        case _:
            return None


def _unused(path: Path) -> Path:
    kept, number = path.with_name(f"{path.name}.bak"), 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.bak{number}")
    return kept
