"""Saved sessions as a person tells them apart: when, which name, which first words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from roocode.app import git_state
from roocode.app.sessions import Saved
from roocode.app.spending import Spent
from roocode.memory.sessions import codec
from roocode.memory.sessions.log import DAMAGED, records
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.brevity import shortened

TITLE_WIDTH = 70
SHORT_ID = 8


def title(session: Saved) -> str:
    """The first words of the person, on one line; empty where nothing was said."""
    for record in records(session.path, only=("prompt",)):
        if record is not None and record["type"] == "prompt":
            try:
                words = codec.message_from_json(record["message"]).spoken
            except DAMAGED:
                continue
            if words.strip():
                return " ".join(words.split())
    return ""


def line(session: Saved) -> str:
    """One line: id, when it changed last, name and first words."""
    changed = datetime.fromtimestamp(session.changed_at).strftime("%Y-%m-%d %H:%M")
    name = f"[{session.header.name}] " if session.header.name else ""
    return (
        f"{session.header.id[:SHORT_ID]}  {changed}  {name}{shortened(title(session), TITLE_WIDTH)}".rstrip()
    )


def facts(past: Replayed, spent: Spent) -> Iterator[str]:
    """Where and with what a session was opened, how git was when it was left, and what it has used."""
    header = past.header
    name = f" [{header.name}]" if header.name else ""
    yield f"session    {header.id[:SHORT_ID]}{name}, begun {header.created_at[:16].replace('T', ' ')} UTC"
    yield f"directory  {header.cwd}"
    yield f"model      {header.model}, mode {header.mode}"
    if git := git_state.words(past.git):
        yield f"git        {git}"
    yield f"used       {spent.words}"


def as_json(session: Saved) -> dict[str, Any]:
    """The same as JSON values."""
    header = session.header
    return {
        "id": header.id,
        "name": header.name,
        "title": title(session),
        "cwd": header.cwd,
        "model": header.model,
        "git": dict(header.git),
        "createdAt": header.created_at,
        "changedAt": datetime.fromtimestamp(session.changed_at).astimezone().isoformat(timespec="seconds"),
        "path": str(session.path),
    }
