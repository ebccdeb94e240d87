"""Where sessions lie, and which one a command line means."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from roocode.app.progress import Progress
from roocode.interaction.cli.requests import SessionChoice
from roocode.interaction.config.places import Places
from roocode.memory.compaction.spill import spilled
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import DAMAGED, Header, header_from_json, records
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import Mask

KEPT_DAYS = 30
HEADER_WITHIN = 20
"""Records among which the header of a session must stand."""


@frozen
class Saved:
    """A saved session, newest last in any listing."""

    path: Path
    header: Header
    changed_at: float


def folder(places: Places) -> Path:
    """Where the sessions of a project are."""
    slug = str(places.root).replace("/", "-").lstrip("-") or "root"
    return places.home / "projects" / slug


def saved(places: Places) -> tuple[Saved, ...]:
    """The sessions of a project, oldest first; files that hold no session that we know are left out."""
    found = []
    for path in folder(places).glob("*.jsonl"):
        header = _header(path)
        if header is not None and header.id:
            found.append(Saved(path, header, path.stat().st_mtime))
    return tuple(sorted(found, key=lambda session: session.changed_at))


def _header(path: Path) -> Header | None:
    """The header of a log; damage may stand before it."""
    for record in islice(records(path), HEADER_WITHIN):
        if record is not None and record["type"] == "session":
            try:
                return header_from_json(record)
            except (*DAMAGED, UserError):
                continue
    return None


def find(places: Places, name: str) -> Saved:
    """The session with this id, beginning of an id, or name. Raises UserError."""
    sessions = saved(places)
    named = [s for s in sessions if name in (s.header.id, s.header.name)]
    begun = named or [s for s in sessions if s.header.id.startswith(name)]
    if not begun:
        raise UserError(f"there is no session {name!r} here", "roocode sessions list shows what is saved")
    if len(begun) > 1 and not named:
        raise UserError(f"{name!r} begins {len(begun)} sessions", "give more of the id")
    return begun[-1]


def chosen(places: Places, choice: SessionChoice) -> Saved | None:
    """The session that is to go on; None for a new one. Raises UserError."""
    match choice.start:
        case "new":
            return None
        case "named":
            return find(places, choice.session)
        case "last" | "ask":
            sessions = saved(places)
            if not sessions:
                raise UserError("there is no session here to go on with", "start one: roocode")
            return sessions[-1]


def resume(
    places: Places, session: Saved, mask: Mask, *, fork: bool, git: Mapping[str, str]
) -> tuple[Conversation, Replayed]:
    """Opens a saved session, or a copy of it that begins in the state `git`. What takes long says so."""
    progress = Progress(session.path)
    if fork:
        return Conversation.fork(session.path, new_path(places), mask, git=git, read=progress)
    return Conversation.resume(session.path, mask, read=progress)


def new_path(places: Places, identifier: str = "") -> Path:
    """Where a new session will lie."""
    return folder(places) / f"{identifier or uuid.uuid4().hex}.jsonl"


def tidy(places: Places, *, keep: Path) -> tuple[Path, ...]:
    """Removes sessions, their big results too, that nobody named or touched for KEPT_DAYS days, but `keep`.

    Returns the logs that are gone.
    """
    limit = time.time() - KEPT_DAYS * 86400
    old = [
        session.path
        for session in saved(places)
        if not session.header.name and session.changed_at < limit and session.path != keep
    ]
    for path in old:
        path.unlink(missing_ok=True)
        shutil.rmtree(spilled(path), ignore_errors=True)
    return tuple(old)
