"""A stream's pieces: nothing secret slips through between two of them, and nothing else is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.security.isolation.masking import MASK
from roocode.security.isolation.pieces import Pieces
from roocode.security.isolation.secrets import Secrets

TOKEN = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8"
PHRASE = "correct horse battery 1"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA2Kd8Wq2Lm6Xv1\nYc5Nh3Pj7\n-----END PRIVATE KEY-----"
SECRETS = Secrets("salt")
SECRETS.learn({"PHRASE_SECRET": PHRASE, "MY_TOKEN": "plain-looking-1"})


def streamed(pieces: list[str]) -> list[str]:
    stream = Pieces(SECRETS)
    return [*(stream.add(piece) for piece in pieces), stream.end()]


def cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 1000])
@pytest.mark.parametrize("secret", [TOKEN, PHRASE, KEY, "plain-looking-1"])
def test_a_torn_secret_is_masked(secret: str, size: int) -> None:
    text = f"I found {secret} there.\nAnd more, Authorization: Bearer abcdefgh12345678 too"
    shown = "".join(streamed(cut(text, size)))
    assert shown == SECRETS(text)
    assert len(MASK.findall(shown)) == 2


def test_whole_words_are_shown_at_once() -> None:
    stream = Pieces(SECRETS)
    assert stream.add("I look at ") == "I look at "
    assert stream.add("the fi") == "the "
    assert stream.add("le, then") == "file, "
    assert stream.end() == "then"


def test_the_next_stream_begins_anew() -> None:
    stream = Pieces(SECRETS)
    assert stream.add("Authorization: Bearer ") == "Authorization: Bearer "
    assert stream.end() == ""
    assert stream.add("abcdefgh12345678 ") == "abcdefgh12345678 "


@given(st.text(), st.lists(st.integers(0, 40), max_size=20))
def test_nothing_is_lost_and_nothing_is_added(text: str, places: list[int]) -> None:
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    pieces = [text[a:b] for a, b in pairwise(ends)]
    if SECRETS(text) == text:
        assert "".join(streamed(pieces)) == text


def test_a_word_without_end_is_not_held_back_for_ever() -> None:
    stream = Pieces(SECRETS)
    shown = "".join(stream.add("a" * 1000) for _ in range(100))
    assert len(shown) > 50_000
    assert shown + stream.end() == "a" * 100_000
