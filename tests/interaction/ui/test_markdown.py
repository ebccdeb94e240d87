"""Where a stream of Markdown is cut, and how it is drawn."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.ui.columns import columns
from roocode.interaction.ui.terminal.markdown import render, split_finished
from roocode.interaction.ui.terminal.styles import unstyled

LINES = st.sampled_from(
    ["", "text", "  indented", "- item", "```", "```python", "````", "~~~", "`` ` ``", "    code", "| a |"]
)
DOCUMENTS = st.lists(LINES, max_size=14).map("\n".join)


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("", ""),
        ("one", ""),
        ("one\n", ""),
        ("one\n\n", ""),
        ("one\n\nt", "one\n\n"),
        ("one\n\n\n\ntwo\n\nthree", "one\n\n\n\ntwo\n\n"),
        ("1. one\n\n   its second paragraph", ""),
        ("1. one\n\n   more\n\n2. two", "1. one\n\n   more\n\n"),
        ("```\na\n\nb\n", ""),
        ("```\na\n\nb\n```\n", "```\na\n\nb\n```\n"),
        ("````\n```\nx\n```\n\ny\n", ""),
        ("````\n```\nx\n````\nrest", "````\n```\nx\n````\n"),
        ("~~~\n```\n\nx\n~~~\n", "~~~\n```\n\nx\n~~~\n"),
        ("``` `x`\n\nno fence", "``` `x`\n\n"),
        ("- item\n  ```\n  x\n\n  ```\n", ""),
    ],
)
def test_whole_blocks_are_split_from_what_may_still_change(text: str, finished: str):
    assert split_finished(text) == (finished, text[len(finished) :])


@given(DOCUMENTS)
def test_nothing_is_lost_and_no_code_block_is_cut(text: str):
    finished, rest = split_finished(text)
    assert finished + rest == text
    again, _ = split_finished(finished + "\nend")
    assert again.startswith(finished.rstrip("\n"))


@given(DOCUMENTS, st.integers(1, 7))
def test_a_stream_gives_the_same_blocks_as_the_whole(text: str, size: int):
    streamed, tail = "", ""
    for start in range(0, len(text), size):
        done, tail = split_finished(tail + text[start : start + size])
        streamed += done
    assert streamed + tail == text
    assert streamed == split_finished(text)[0]


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Title\n\nText.", ["Title", "", "Text."]),
        ("- a\n- b", [" • a", " • b"]),
        ("2. two\n3. three", [" 2 two", " 3 three"]),
        ("```python\ndef f():\n\n    pass\n```", ["  def f():", "", "      pass"]),
        ("see [it](http://x.y/z)", ["see it (http://x.y/z)"]),
        ("a <b>tag</b> and <!-- note -->", ["a <b>tag</b> and <!-- note -->"]),
    ],
)
def test_it_is_drawn_as_lines(markdown: str, shown: list[str]):
    assert unstyled(render(markdown, 60)).split("\n") == shown


def test_wide_characters_and_long_words_stay_inside_the_width():
    text = (
        "漢字" * 60
        + " "
        + "x" * 300
        + "\n\n```\n"
        + "y" * 300
        + "\n```\n\n| a | b |\n|---|---|\n| 漢字 | z |"
    )
    lines = unstyled(render(text, 50)).split("\n")
    assert max(map(columns, lines)) <= 50
    assert any("漢字" in line for line in lines)


def test_an_answer_cannot_steer_the_terminal():
    drawn = render("\x1b]0;evil\x07 **b** \x9b2J \u202e `\x1b[2J`", 60)
    assert set(re.findall(r"\x1b\[[0-9;]*([A-Za-z])", drawn)) == {"m"}
    assert re.sub(r"\x1b\[[0-9;]*m", "", drawn).isprintable()


@given(st.text(st.characters()), st.integers(1, 100))
def test_any_text_is_drawn(text: str, width: int):
    drawn = unstyled(render(text, width))
    assert "\x1b" not in drawn
    assert not drawn.endswith("\n")
