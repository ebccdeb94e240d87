"""`roocode -r` without a value: the person picks a session before the chat opens."""

from __future__ import annotations

import os
from dataclasses import replace

from roocode.app import saved_sessions, sessions
from roocode.interaction.cli.requests import ChatRequest, SessionChoice
from roocode.interaction.config.places import find_places
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError

MOST_SHOWN = 20


def picked(request: ChatRequest) -> SessionChoice:
    """Lists the newest sessions here and reads a number. Raises UserError where none is picked."""
    found = sessions.saved(find_places(request.options.cwd, os.environ))[::-1][:MOST_SHOWN]
    if not found:
        raise UserError("there is no session here to go on with", "start one: roocode")
    for number, session in enumerate(found, start=1):
        print(f"{number:>3}  {visible(saved_sessions.line(session))}")
    try:
        answer = input("Go on with which one? [1] ").strip() or "1"
    except EOFError:
        answer = ""
    if not (answer.isdecimal() and 1 <= int(answer) <= len(found)):
        raise UserError(f"{answer!r} is none of these numbers", "roocode -r ID takes an id or a name too")
    return replace(request.session, start="named", session=found[int(answer) - 1].header.id)
