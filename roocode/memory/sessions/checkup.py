"""Finds what is wrong with a saved session, and writes a mended copy of it; the original is never lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roocode.memory.sessions import codec
from roocode.memory.sessions.conversation import loaded_skills
from roocode.memory.sessions.log import header_from_json, now, parse
from roocode.memory.sessions.pairing import LOST
from roocode.memory.sessions.turns import turn_of
from roocode.protocol.errors import HostError, RooCodeError, UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, ToolResult


@frozen
class Fault:
    """What is wrong, and in which line of the file (from 1)."""

    line: int
    what: str


@dataclass(slots=True)
class Checkup:
    """The faults of a log, and its lines without them."""

    faults: list[Fault] = field(default_factory=list)
    mended: list[bytes] = field(default_factory=list)
    has_header: bool = False


def check(path: Path) -> Checkup:
    """Looks at every line: torn, foreign and damaged ones, calls without a result, results without a call."""
    found = Checkup()
    calls: dict[str, int] = {}
    for number, line, record in _numbered(path, found):
        message = _message(record)
        if message is not None and message.role == "assistant":
            _close(calls, found)
            calls = {call.id: number for call in message.calls}
        elif message is not None:
            unasked = [r for r in message.results if calls.pop(r.call_id, None) is None]
            if unasked:
                ids = ", ".join(result.call_id for result in unasked)
                found.faults.append(Fault(number, f"a result belongs to no open call: {ids}"))
                _keep_rest(record, message, unasked, found)
                continue
        found.mended.append(line)
    _close(calls, found)
    if not found.has_header:
        found.faults.insert(0, Fault(1, "there is no header: this is no session"))
    return found


def repair(path: Path) -> Path | None:
    """Replaces a faulty log by its mended copy and keeps the old file; returns where, None if all is sound.

    Raises UserError where nothing can be made of it, HostError where it changes meanwhile.
    """
    before = path.stat()
    found = check(path)
    if not found.faults:
        return None
    if not found.has_header:
        raise UserError(f"{path} holds no session", "there is nothing to go on from")
    mended = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with os.fdopen(os.open(mended, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.writelines(found.mended)
        out.flush()
        os.fsync(out.fileno())
    os.utime(mended, ns=(before.st_atime_ns, before.st_mtime_ns))
    kept = _unused(path)
    shutil.copy2(path, kept)
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        mended.unlink()
        kept.unlink()
        raise HostError(f"{path} is being written", "end the session that uses it, then try again")
    os.replace(mended, path)
    return kept


def _numbered(path: Path, found: Checkup) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """The sound records with line number and text; the faults of the others are noted."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        record = parse(line)
        if record is None:
            found.faults.append(Fault(number, "not a record of ours, or a torn one"))
            continue
        try:
            _message(record)
            if record["type"] == "session":
                header_from_json(record)
                found.has_header = True
        except (KeyError, TypeError, ValueError, RooCodeError) as error:
            what = f"a damaged record of type {record['type']} ({type(error).__name__}: {error})"
            found.faults.append(Fault(number, what))
            continue
        yield number, line + b"\n", record


def _message(record: dict[str, Any]) -> Message | None:
    """What a record adds to the conversation. Raises KeyError, TypeError or ValueError for a damaged one."""
    match record["type"]:
        case "prompt":
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
            return None
        case "skill":
            loaded_skills([record])
            return None
        case "turn" | "snapshot":
            turn_of(record)
            return None
        case _:
            return None


def _close(calls: dict[str, int], found: Checkup) -> None:
    for call, line in calls.items():
        found.faults.append(Fault(line, f"call {call} has no result"))
        record = {"type": "result", "at": now(), "result": codec.block_to_json(ToolResult(call, LOST, True))}
        found.mended.append(json.dumps(record, separators=(",", ":")).encode() + b"\n")


def _keep_rest(record: dict[str, Any], message: Message, unasked: list[ToolResult], found: Checkup) -> None:
    blocks = tuple(block for block in message.blocks if block not in unasked)
    if blocks:
        rest = record | {"message": codec.message_to_json(Message(message.role, blocks))}
        found.mended.append(json.dumps(rest, separators=(",", ":")).encode() + b"\n")


def _unused(path: Path) -> Path:
    kept, number = path.with_name(f"{path.name}.bak"), 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.bak{number}")
    return kept
