"""Line endings of a file that is written whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.editing.endings import kind_of, like

MIXED = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n"])), max_size=8).map(
    lambda lines: "".join(text + end for text, end in lines)
)


@pytest.mark.parametrize(
    ("old", "new", "written", "kind"),
    [
        ("a\nb\n", "c\n", "c\n", ""),
        ("a\r\nb\r\n", "c\nd", "c\r\nd", "CRLF"),
        ("a\rb\r", "c\nd\n", "c\rd\r", "CR"),
        ("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\r\nc\r\n", "mixed"),
        ("a\nb\r\nc\n", "b\nx\n", "b\r\nx\n", "mixed"),
        ("a\r\n", "x\r\ny\n", "x\r\ny\n", "CRLF"),
        ("one", "c\n", "c\n", ""),
    ],
)
def test_endings_are_kept(old: str, new: str, written: str, kind: str) -> None:
    assert (like(old, new), kind_of(old)) == (written, kind)


@given(MIXED)
def test_the_same_lines_get_the_same_bytes(text: str) -> None:
    assert like(text, text.replace("\r\n", "\n")) == text


@given(MIXED, st.text("abc\n", max_size=12))
def test_nothing_but_endings_changes(old: str, new: str) -> None:
    assert like(old, new).replace("\r\n", "\n") == new
