"""A teammate's pane: its work as it happens, for a person to watch."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from roocode.interaction.ui.safe_text import well_formed
from roocode.interaction.ui.terminal.blocks import notice
from roocode.interaction.ui.terminal.question_text import details
from roocode.interaction.ui.terminal.styles import unstyled, wants_styles
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.events import Event, PermissionAnswered, PermissionAsked


class Pane:
    """Prints finished blocks as the chat does, without an input.

    `asks` tells that questions of permission wait for the person at the lead's window.
    """

    def __init__(self, agent: str, out: TextIO | None = None, *, asks: bool = False) -> None:
        self._asks = asks
        self._out = out or sys.stdout
        self._styled = wants_styles(os.environ)
        self._transcript = Transcript(_width, agent)

    def show(self, event: Event) -> None:
        """Prints what an event finishes; a pane that was closed is no error."""
        text = well_formed(self._transcript.take(event) or self._question(event))
        if not text:
            return
        try:
            self._out.write((text if self._styled else unstyled(text)).rstrip("\n") + "\n")
            self._out.flush()
        except (OSError, ValueError):
            return

    def _question(self, event: Event) -> str:
        match event:
            case PermissionAsked(question=question) if self._asks:
                how = "It waits for your answer in the lead's window, or from any shell:"
                command = f"roocode team approve {question.id} · roocode team deny {question.id}"
                return f"{details([question], _width())}\n  {how}\n  {command}"
            case PermissionAnswered(answer=answer) if self._asks:
                said = "yes" if answer.allowed else f"no: {answer.reason}"
                return notice(f"  {said}", "info")
            case _:
                return ""

    def close(self) -> None:
        """Nothing is left to write."""


def _width() -> int:
    return shutil.get_terminal_size().columns
