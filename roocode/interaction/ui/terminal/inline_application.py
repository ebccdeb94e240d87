"""An application in the terminal's main screen that survives being made narrower."""

from __future__ import annotations

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Screen


class InlineApplication(Application[None]):
    """Erases what it painted even where the terminal has wrapped those lines anew, as most do."""

    def _on_resize(self) -> None:
        screen = self.renderer.last_rendered_screen
        if screen is not None:
            cursor = screen.get_cursor_position(self.layout.current_window)
            self.output.cursor_up(rows_gained(screen, cursor, self.output.get_size().columns))
        super()._on_resize()


def rows_gained(screen: Screen, cursor: Point, width: int) -> int:
    """How many rows further down the cursor stands once lines wider than `width` columns are wrapped."""
    above = (_columns(screen, row) for row in range(cursor.y))
    return sum(max(columns - 1, 0) // width for columns in above) + cursor.x // width


def _columns(screen: Screen, row: int) -> int:
    cells = screen.data_buffer[row].items()
    return max((column + cell.width for column, cell in cells if cell.char.strip()), default=0)
