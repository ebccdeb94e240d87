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
from roocode.app.progress import Progress
from roocode.app.spending import Prices, prices_of, spent_in
from roocode.interaction.cli.orders import (
    SessionsExport,
    SessionsList,
    SessionsOrder,
    SessionsShow,
    SessionsVerify,
)
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.ui.safe_text import prose, visible, well_formed
from roocode.interaction.ui.terminal.styles import unstyled, wants_styles
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.memory.sessions.checkup import check, repair
from roocode.memory.sessions.log import parse
from roocode.memory.sessions.replay import replay
from roocode.protocol.errors import RooCodeError
from roocode.security.isolation.masking import Mask, masked, unmasked


def session_order(order: SessionsOrder, mask: Mask = unmasked) -> int:
    """Carries it out and returns the exit code. Raises UserError where there is no such session.

    What is printed of a session is masked once more: it may be older than its secrets are known.
    """
    places = find_places(order.cwd, os.environ)
    match order:
        case SessionsList():
            return _list(places, mask, as_json=order.json)
        case SessionsShow():
            return _show(places, order.session, mask)
        case SessionsExport():
            return _export(places, order, mask)
        case SessionsVerify():
            return _verify(places, order)
        case _:
            assert_never(order)


def _list(places: Places, mask: Mask, *, as_json: bool) -> int:
    found = sessions.saved(places)[::-1]
    if as_json:
        print(json.dumps([masked(saved_sessions.as_json(session), mask) for session in found], indent=2))
        return 0
    for session in found:
        print(visible(mask(saved_sessions.line(session))))
    if not found:
        print("no session is saved for this directory", file=sys.stderr)
    return 0


def _show(places: Places, name: str, mask: Mask) -> int:
    session = sessions.find(places, name)
    past = masked(replay(session.path, read=Progress(session.path)), mask)
    for fact in saved_sessions.facts(past, spent_in(past, _prices(places))):
        print(visible(fact))
    transcript = Transcript(lambda: shutil.get_terminal_size().columns)
    styled = sys.stdout.isatty() and wants_styles(os.environ)
    for event in replaying.events(past.messages):
        if text := well_formed(transcript.take(event)):
            print(text if styled else unstyled(text))
    return 0


def _prices(places: Places) -> Prices:
    """The prices that hold here; those of the catalog where the configuration cannot be read."""
    try:
        return prices_of(load_settings(places.root, os.environ, ()))
    except RooCodeError:
        return prices_of(None)


def _export(places: Places, order: SessionsExport, mask: Mask) -> int:
    session = sessions.find(places, order.session)
    if order.form == "jsonl":
        with session.path.open("rb") as lines:
            sys.stdout.buffer.writelines(_exported(line, mask) for line in lines)
    else:
        past = masked(replay(session.path), mask)
        text = well_formed(markdown(past, mask(saved_sessions.title(session))))
        print(prose(text) if sys.stdout.isatty() else text)
    return 0


def _exported(line: bytes, mask: Mask) -> bytes:
    """The line byte for byte, but where it holds a secret."""
    record = parse(line)
    if record is None:
        return mask(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    hidden = masked(record, mask)
    return line if hidden is record else json.dumps(hidden, separators=(",", ":")).encode() + b"\n"


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
    faults = check(path)
    for fault in faults:
        print(visible(f"{path}:{fault.line}: {fault.what}"))
    if not faults:
        print(f"{path}: sound")
        return True
    if not mend:
        return False
    try:
        kept = repair(path)
    except RooCodeError as error:
        print(visible(f"{path}: not mended: {error.what}"))
        return False
    print(f"{path}: mended; the old file is {kept}")
    return True
