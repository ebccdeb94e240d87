"""Where the parts of the live region stand, from top to bottom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, FilterOrBool
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)

Lines: TypeAlias = Callable[[], str]

TAIL_ROWS = 10
MEMBER_ROWS = 8
BAR_ROWS = 14
INPUT_ROWS = 10


def layout(
    *, tail: Lines, members: Lines, bar: Lines, buffer: Buffer, typing: Condition, toolbar: Lines
) -> Layout:
    """Tail of the answer, teammates, keys of an open question, input, toolbar; what is empty takes no row."""
    entry = Window(
        BufferControl(buffer),
        get_line_prefix=lambda line, wrapped: [("bold", "> ")] if line + wrapped == 0 else "  ",
        wrap_lines=True,
        dont_extend_height=True,
        height=Dimension(min=1, max=INPUT_ROWS),
    )
    parts = [
        _lines(tail, TAIL_ROWS + 1),
        _lines(members, MEMBER_ROWS),
        Window(height=1),
        _lines(bar, BAR_ROWS),
        ConditionalContainer(entry, typing),
        _lines(toolbar, 1, style="fg:ansibrightblack"),
    ]
    return Layout(HSplit(parts), focused_element=entry)


def _lines(text: Lines, rows: int, style: str = "") -> ConditionalContainer:
    wanted: FilterOrBool = Condition(lambda: bool(text()))
    window = Window(
        FormattedTextControl(lambda: ANSI(text()), style=style),
        wrap_lines=True,
        dont_extend_height=True,
        height=Dimension(max=rows),
    )
    return ConditionalContainer(window, wanted)
