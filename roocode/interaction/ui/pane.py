"""A teammate's pane: its work as it happens, for a person to watch."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from roocode.interaction.ui.safe_text import well_formed
from roocode.interaction.ui.terminal.styles import unstyled, wants_styles
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.events import Event


class Pane:
    """Prints finished blocks as the chat does, without an input."""

    def __init__(self, agent: str, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._styled = wants_styles(os.environ)
        self._transcript = Transcript(_width, agent)

    def show(self, event: Event) -> None:
        """Prints what an event finishes; a pane that was closed is no error."""
        text = well_formed(self._transcript.take(event))
        if not text:
            return
        try:
            self._out.write((text if self._styled else unstyled(text)).rstrip("\n") + "\n")
            self._out.flush()
        except (OSError, ValueError):
            return

    def close(self) -> None:
        """Nothing is left to write."""


def _width() -> int:
    return shutil.get_terminal_size().columns
