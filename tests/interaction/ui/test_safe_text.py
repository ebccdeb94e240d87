"""Text that cannot deceive the eye or steer the terminal."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.interaction.ui.safe_text import judged, on_one_line, prose, spelled_out, visible, well_formed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("naïve 漢字 👍\u00a0!", "naïve 漢字 👍\u00a0!"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("10%\r20%", "10%\\r20%"),
        ("rm \u202egpj.x", "rm \\u202egpj.x"),
        ("a\u200bb\u200d\ufeff", "a\\u200bb\\u200d\\ufeff"),
        ("x\u3164y\u2800\ufe00", "x\\u3164y\\u2800\\ufe00"),
        ("\udcff\x9b31m", "\\udcff\\x9b31m"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str):
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    ["👩\u200d👩\u200d👧", "می\u200cخواهم", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "👍🏽",
     "👩🏽\u200d💻", "क्\u200dष", "™\ufe0f ↔\ufe0f ‼\ufe0f", "שלום مرحبا", "☺\ufe0e"],
)  # fmt: skip
def test_prose_keeps_what_joins_words_and_emoji(text: str):
    assert prose(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\u202e", "\\x1b[2J\\u202e"),
        ("pass\u200dword", "pass\\u200dword"),
        ("a\ufe0fb", "a\\ufe0fb"),
        ("👍\ufe0f\ufe0e\ufe0f", "👍\ufe0f\\ufe0e\\ufe0f"),
        ("👍\ufe01\U000e0101", "👍\\ufe01\\U000e0101"),
        ("👩\u200d", "👩\\u200d"),
        ("👩\u200d\u200d👩", "👩\\u200d\\u200d👩"),
        ("so\u00adft \u2060\u180b", "so\\xadft \\u2060\\u180b"),
        ("".join(chr(0xE0000 + ord(letter)) for letter in "hi"), "\\U000e0068\\U000e0069"),
    ],
)
def test_prose_shows_them_anywhere_else(text: str, shown: str):
    assert prose(text) == shown


def test_one_line_stays_one_line():
    assert on_one_line("a\n? bob wants\r\tto\u2028use") == "a ? bob wants\\r to\\u2028use"


@given(st.text(st.characters()))
def test_spelled_out_json_means_the_same_and_steers_nothing(text: str):
    formed = well_formed(text)
    spelled = spelled_out(json.dumps([formed], ensure_ascii=False))
    assert json.loads(spelled) == [formed]
    assert visible(spelled) == spelled


@given(st.text(st.characters()))
def test_no_control_or_format_character_gets_through(text: str):
    kept = {"\n", "\t"}
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in set(visible(text)) - kept)
    joined = kept | set("\u200c\u200d\ufe0e\ufe0f")
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in set(prose(text)) - joined)


@given(st.text(st.characters()))
def test_well_formed_text_can_be_encoded_and_only_surrogates_change(text: str):
    formed = well_formed(text)
    formed.encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert formed == text


def test_halves_of_a_character_are_joined():
    assert well_formed("\ud83d\udc4d \ud800") == "👍 \ufffd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls" + " " * 400 + "; rm x", "ls ⟨400 blanks⟩ ; rm x"),
        ("ls" + "\u3000" * 50 + "x", "ls ⟨50 blanks⟩ x"),
        ("ls \t" * 1 + "\t" * 30 + "x", "ls ⟨32 blanks⟩ x"),
        (" " * 24 + "return x", " " * 24 + "return x"),
        (" " * 100 + "x", " ⟨100 blanks⟩ x"),
        ("ls" + " " * 40, "ls ⟨40 blanks⟩ "),
        ("a" + "\n" * 60 + "b", "a\n⟨59 empty lines⟩\nb"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("a" + "\n" * 20, "a\n⟨20 empty lines⟩"),
        ("a  b", "a  b"),
    ],
)
def test_blanks_push_nothing_out_of_sight(text: str, shown: str):
    """P18: long runs are counted, what is behind them stands next to what was before."""
    assert judged(text) == shown


@given(st.text(st.sampled_from("ab \t\n\u3000\u202e;")))
def test_no_character_that_can_be_seen_is_left_out(text: str):
    seen = "".join(character for character in text if character in "ab;")
    assert "".join(c for c in re.sub("⟨.*?⟩|u202e", "", judged(text)) if c in "ab;") == seen
