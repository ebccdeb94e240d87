"""A terminal output that repaints in one write, so that nothing flickers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

BEGIN_UPDATE, END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronised output: terminals that know it show nothing in between, others ignore it."""


class SteadyOutput(Vt100_Output):
    """Holds back what is written inside `one_write`; asks the terminal nothing."""

    _held = False

    @classmethod
    def on(cls, terminal: TextIO, term: str | None) -> SteadyOutput:
        """The output to a terminal of the kind `term`; one that does not tell its size has 80 by 24."""

        def size() -> Size:
            try:
                columns, lines = os.get_terminal_size(terminal.fileno())
            except OSError:
                columns, lines = 0, 0
            return Size(rows=lines or 24, columns=columns or 80)

        return cls(terminal, size, term=term)

    @property
    def responds_to_cpr(self) -> bool:
        """No: where the cursor is need not be known to paint below what is there."""
        return False

    def flush(self) -> None:
        """Writes what has gathered, unless it is held back; a terminal that is gone takes nothing."""
        if self._held:
            return
        try:
            super().flush()
        except OSError:
            _silence_what_is_gone()

    def erase_down(self) -> None:
        """Erases from the cursor, at the start of a line, to the end of the screen.

        First its line, then what is below: tmux keeps what is erased from the top of the screen in one go.
        """
        self.write_raw("\x1b7\x1b[K\x1b[B\x1b[J\x1b8")

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """All that is written inside leaves at the end, at once."""
        self._held = True
        self.write_raw(BEGIN_UPDATE)
        try:
            yield
        finally:
            self._held = False
            self.write_raw(END_UPDATE)
            self.flush()


def _silence_what_is_gone() -> None:
    """Lets what is still to be written go nowhere, so that it cannot fail in the middle of putting away."""
    for stream in (sys.stdout, sys.stderr):
        try:
            os.write(stream.fileno(), b"")
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
