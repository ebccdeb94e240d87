"""Output that is too long, or that no one could read."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.clip import clip, cut_line, printable


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link", "xlink"),
        ("a\x1b(Bb\x1bMc", "abc"),
        ("1%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        ("50%\r", "50%"),
        ("bell\x07 nul\0 tab\t", "bell� nul� tab\t"),
        ("\ud800\x9b", "��"),
        ("\x1b[", ""),
        ("\x1b", "�"),
    ],
)
def test_escapes_and_controls_go(raw: str, text: str) -> None:
    assert printable(raw) == text


@given(st.text(st.characters() | st.sampled_from("\x1b[]\r\n\x07"), max_size=100))
def test_what_is_left_can_be_sent_and_shown(raw: str) -> None:
    shown = printable(raw)
    shown.encode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert printable(shown) == shown


def test_long_escapes_take_linear_time() -> None:
    assert printable("\x1b]" * 200_000) == ""
    assert len(printable("\x1b[" + "0;" * 500_000)) == 1_000_000


def test_short_text_stays_as_it_is() -> None:
    assert clip("short", "", 0, 100, "f") == "short"


def test_head_and_tail_are_kept_at_line_borders() -> None:
    text = "".join(f"line {n}\n" for n in range(1000))
    shown = clip(text, "", 0, 300, "/tmp/all")
    head, note, tail = re.split(r"\n(\[.*\])\n", shown)
    assert head.startswith("line 0\n")
    assert text.endswith(tail)
    assert text.startswith(head)
    assert "/tmp/all" in note
    assert len(head) + len(tail) <= 300


def test_what_was_never_read_counts_as_left_out() -> None:
    shown = clip("a" * 50, "z" * 50, 1_000, 20, "f")
    assert shown == f"{'a' * 10}\n[… 1,080 characters left out; all of it: f …]\n{'z' * 10}"


@given(st.text("ab\n", max_size=300), st.integers(2, 100))
def test_it_is_never_longer_than_the_limit_and_a_note(text: str, limit: int) -> None:
    assert len(clip(text, "", 0, limit, "f")) <= max(len(text) if len(text) <= limit else 0, limit + 60)


def test_lines_are_cut_with_a_count() -> None:
    assert cut_line("abc", 3) == "abc"
    assert cut_line("abcde", 3) == "abc… [+2 characters]"
