"""An application in the terminal's main screen: it prints above itself, and survives a change of width."""

from __future__ import annotations

from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Screen

from roocode.interaction.ui.terminal.steady_output import SteadyOutput


class InlineApplication(Application[None]):
    """Erases what it painted even where the terminal has wrapped those lines anew, as most do."""

    def __init__(self, output: SteadyOutput, **options: Any) -> None:
        super().__init__(output=output, erase_when_done=True, **options)
        self._steady = output
        self._painted_width = 0
        self.before_render += lambda _: self._erase_if_resized()
        self.after_render += lambda _: self._note_width()

    def print_above(self, text: str) -> None:
        """Prints whole lines for good, above what may change; to be called from a task of the application."""
        with self._steady.one_write():
            self._erase()
            self._steady.write_raw(text.replace("\n", "\r\n"))
            self.render_counter += 1
            self.renderer.render(self, self.layout)
            self._note_width()

    def _on_resize(self) -> None:
        with self._steady.one_write():
            self._erase()
            self._redraw()

    def _erase_if_resized(self) -> None:
        if self._painted_width and self._width() != self._painted_width:
            self._erase()

    def _erase(self) -> None:
        screen = self.renderer.last_rendered_screen
        if screen is not None:
            cursor = screen.get_cursor_position(self.layout.current_window)
            self._steady.cursor_up(rows_gained(screen, cursor, self._width()))
        self.renderer.erase(leave_alternate_screen=False)

    def _note_width(self) -> None:
        self._painted_width = self._width()

    def _width(self) -> int:
        return self._steady.get_size().columns


def rows_gained(screen: Screen, cursor: Point, width: int) -> int:
    """How many rows further down the cursor stands once lines wider than `width` columns are wrapped."""
    above = (_columns(screen, row) for row in range(cursor.y))
    return sum(max(columns - 1, 0) // width for columns in above) + cursor.x // width


def _columns(screen: Screen, row: int) -> int:
    cells = screen.data_buffer[row].items()
    return max((column + cell.width for column, cell in cells if cell.char.strip()), default=0)
