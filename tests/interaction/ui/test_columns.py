"""Widths on a terminal."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.ui.call_line import call_line
from roocode.interaction.ui.columns import columns, cut, padded, wrapped
from roocode.protocol.messages import ToolCall


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("👍", 2), ("ｆｕｌｌ", 8), ("", 0), ("❤\ufe0f", 2)],
)
def test_wide_characters_take_two_and_combining_ones_none(text: str, width: int):
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "kept"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),
        ("a\tb", 9, "a    b"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_a_line_is_cut_between_characters(text: str, width: int, kept: str):
    assert cut(text, width) == kept


@given(st.text(), st.integers(0, 40))
def test_no_cut_line_is_too_wide_and_what_fits_stays(text: str, width: int):
    assert columns(cut(text, width)) <= width
    assert cut(text, 10**6) == text.replace("\t", "    ")


def test_padding_counts_columns():
    assert padded("漢", 4) == "漢  "
    assert padded("abcd", 2) == "abcd"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (ToolCall("1", "Bash", {"description": "d", "command": "ls\n -l"}), "Bash(ls -l)"),
        (ToolCall("1", "EditFile", {"path": "a.py", "old_string": "x"}), "EditFile(a.py)"),
        (ToolCall("1", "TaskList", {}), "TaskList()"),
        (ToolCall("1", "TaskStop", {"taskId": 3}), "TaskStop(3)"),
        (ToolCall("1", "Odd", {"x": {"y": 1}}), 'Odd({"x": {"y": 1}})'),
        (ToolCall("1", "TodoWrite", {"todos": [{"content": "a"}, {"content": "b"}]}), "TodoWrite(2 todos)"),
        (ToolCall("1", "Bash", None, '{"comm'), 'Bash({"comm)'),
        (ToolCall("1", "Bash", {"command": "echo \x1b[2J"}), "Bash(echo \\x1b[2J)"),
    ],
)
def test_a_call_is_told_by_its_most_telling_argument(call: ToolCall, line: str):
    assert call_line(call) == line


def test_a_long_call_is_cut():
    assert call_line(ToolCall("1", "Bash", {"command": "x" * 300}), 20) == "Bash(xxxxxxxxxxxxxx…"


@given(st.text("ab 漢;-\u0301", max_size=60) | st.text("ab ", max_size=60), st.integers(2, 20))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, width: int):
    pieces = wrapped(text, width)
    assert "".join(pieces) == text
    assert all(columns(piece) <= width for piece in pieces)


def test_lines_are_broken_behind_a_blank_where_one_is_near():
    assert wrapped("make install everything", 14) == ["make install ", "everything"]
    assert wrapped("a/very/long/path/without/blanks", 10) == ["a/very/lon", "g/path/wit", "hout/blank", "s"]


def test_an_ideograph_is_not_parted_and_keeps_what_is_combined_with_it():
    assert wrapped("漢字漢e\u0301e", 5) == ["漢字", "漢e\u0301e"]
    assert wrapped("e\u0301 e\u0301 e\u0301", 3) == ["e\u0301 ", "e\u0301 e\u0301"]


@pytest.mark.parametrize("text", ["漢", "é", "x", "é "])
def test_a_line_without_end_is_wrapped_in_no_time(text: str):
    began = time.process_time()
    pieces = wrapped(text * 100_000, 80)
    assert time.process_time() - began < 3
    assert "".join(pieces) == text * 100_000
