"""What is shown where a passage was not found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.editing.nearest import nearest

TEXT = "import os\n\n\ndef first(a):\n    x = a\n    return x\n\n\ndef second(a):\n    y = a\n    return y\n"


def test_the_place_with_most_equal_lines_is_shown_and_the_first_that_differs() -> None:
    hint = nearest(TEXT, "def second(a):\n    z = a\n    return y")
    assert "     9\tdef second(a):\n    10\t    y = a\n    11\t    return y" in hint
    assert "Line 10 differs: old_string has there:\n      \t    z = a" in hint


def test_a_line_that_is_alike_is_found() -> None:
    assert "     4\tdef first(a):" in nearest(TEXT, "def fist(a):")


def test_nothing_alike_gives_nothing() -> None:
    assert nearest(TEXT, "completely other words here") == ""
    assert nearest("", "x") == ""


def test_a_passage_beyond_the_end_is_told() -> None:
    assert "beyond the file" in nearest("a line\nlast line", "last line\nand more\nand more")


def test_long_files_and_lines_stay_bearable() -> None:
    text = "\n".join(f"{'x' * 5000} {n}" for n in range(20_000))
    assert len(nearest(text, "x" * 5000 + " 7\n" + "never")) < 5_000


@given(st.text("ab \n\r", max_size=40), st.text("ab \n", min_size=1, max_size=20))
def test_it_never_raises(text: str, passage: str) -> None:
    assert isinstance(nearest(text, passage), str)
