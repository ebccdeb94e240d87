"""Painting: in one write, and erased whole however the terminal was resized."""

import os
import pty
from collections.abc import Iterator

import pytest
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Char, Screen

from roocode.interaction.ui.terminal.inline_application import rows_gained
from roocode.interaction.ui.terminal.steady_output import BEGIN_UPDATE, END_UPDATE, SteadyOutput


def screen(*lines: str) -> Screen:
    painted = Screen()
    for row, line in enumerate(lines):
        column = 0
        for character in line:
            cell = Char(character)
            painted.data_buffer[row][column] = cell
            column += cell.width
    return painted


@pytest.mark.parametrize(
    ("lines", "cursor", "width", "gained"),
    [
        (("",), (0, 0), 40, 0),
        (("x" * 40, "> "), (2, 1), 40, 0),
        (("x" * 41, "> "), (2, 1), 40, 1),
        (("x" * 100, "y" * 50, "> "), (2, 2), 40, 3),
        (("x" * 100 + " " * 300, "> "), (2, 1), 40, 2),
        (("漢" * 30, "> "), (2, 1), 40, 1),
        (("> " + "z" * 90,), (92, 0), 40, 2),
        (("> ", "below" * 50), (2, 0), 40, 0),
    ],
)
def test_lines_that_are_wrapped_anew_push_the_cursor_down(
    lines: tuple[str, ...], cursor: tuple[int, int], width: int, gained: int
):
    assert rows_gained(screen(*lines), Point(*cursor), width) == gained


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    yield ours, theirs
    for descriptor in (ours, theirs):
        os.close(descriptor)


def test_a_repaint_is_one_write(terminal: tuple[int, int]):
    ours, theirs = terminal
    with os.fdopen(os.dup(theirs), "w") as out:
        output = SteadyOutput.on(out, "xterm")
        with output.one_write():
            for part in ("one", "two", "three"):
                output.write_raw(part)
                output.flush()
            with pytest.raises(BlockingIOError):
                os.read(ours, 100)
    assert os.read(ours, 100).decode() == f"{BEGIN_UPDATE}onetwothree{END_UPDATE}"


def test_the_terminal_is_asked_nothing_and_has_a_size(terminal: tuple[int, int]):
    with os.fdopen(os.dup(terminal[1]), "w") as out:
        output = SteadyOutput.on(out, "xterm")
        assert not output.responds_to_cpr
        assert (output.get_size().columns, output.get_size().rows) == (80, 24)
