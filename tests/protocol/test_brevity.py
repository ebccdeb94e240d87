"""Text that has to fit."""

from __future__ import annotations

import pytest

from roocode.protocol.brevity import in_brief, shortened


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("a\nb", 3, "a\nb")],
)
def test_what_does_not_fit_is_cut_with_a_mark(text: str, most: int, cut: str) -> None:
    assert shortened(text, most) == cut


def test_on_one_line_blanks_are_joined_before_it_is_cut() -> None:
    assert in_brief("  one\n\n two\tthree ", 100) == "one two three"
    assert in_brief("a" + " " * 50 + "b", 3) == "a b"
