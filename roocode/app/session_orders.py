"""`roocode sessions`: lists, shows, exports, checks and mends saved conversations."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import assert_never

from roocode.app import replaying, saved_sessions, sessions
from roocode.app.markdown_export import markdown
from roocode.interaction.cli.orders import (
    SessionsExport,
    SessionsList,
    SessionsOrder,
    SessionsShow,
    SessionsVerify,
)
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.ui.safe_text import visible, well_formed
from roocode.interaction.ui.terminal.styles import unstyled, wants_styles
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.conversation import replay
from roocode.protocol.errors import RooCodeError


def session_order(order: SessionsOrder) -> int:
    """Carries it out and returns the exit code. Raises UserError where there is no such session."""
    places = find_places(order.cwd, os.environ)
    match order:
        case SessionsList():
            return _list(places, as_json=order.json)
        case SessionsShow():
            return _show(places, order.session)
        case SessionsExport():
            return _export(places, order)
        case SessionsVerify():
            return _verify(places, order)
        case _:
            assert_never(order)


def _list(places: Places, *, as_json: bool) -> int:
    found = sessions.saved(places)[::-1]
    if as_json:
        print(json.dumps([saved_sessions.as_json(session) for session in found], indent=2))
        return 0
    for session in found:
        print(visible(saved_sessions.line(session)))
    if not found:
        print("no session is saved for this directory", file=sys.stderr)
    return 0


def _show(places: Places, name: str) -> int:
    past = replay(sessions.find(places, name).path)
    transcript = Transcript(lambda: shutil.get_terminal_size().columns)
    styled = sys.stdout.isatty() and wants_styles(os.environ)
    for event in replaying.events(past.messages):
        if text := well_formed(transcript.take(event)):
            print(text if styled else unstyled(text))
    return 0


def _export(places: Places, order: SessionsExport) -> int:
    session = sessions.find(places, order.session)
    if order.form == "jsonl":
        sys.stdout.buffer.write(session.path.read_bytes())
    else:
        print(well_formed(markdown(replay(session.path), saved_sessions.title(session))))
    return 0


def _verify(places: Places, order: SessionsVerify) -> int:
    if order.session is not None:
        paths = [sessions.find(places, order.session).path]
    else:
        paths = sorted(sessions.folder(places).glob("*.jsonl"))
    sound = [_verify_one(path, mend=order.repair) for path in paths]
    if not paths:
        print("no session is saved for this directory", file=sys.stderr)
    return 0 if all(sound) else 1


def _verify_one(path: Path, *, mend: bool) -> bool:
    """Prints what is wrong; True where all is sound, by now."""
    faults = check(path).faults
    for fault in faults:
        print(f"{path}:{fault.line}: {visible(fault.what)}")
    if not faults:
        print(f"{path}: sound")
        return True
    if not mend:
        return False
    try:
        kept = repair(path)
    except RooCodeError as error:
        print(f"{path}: not mended: {error.what}")
        return False
    print(f"{path}: mended; the old file is {kept}")
    return True
