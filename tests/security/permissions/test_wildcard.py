from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roocode.security.permissions.wildcard import like, literal

_text = st.text(alphabet="ab*\\ ", max_size=8)


@given(_text)
def test_a_literal_fits_its_text(text: str) -> None:
    assert like(literal(text), text)


@given(_text, _text)
def test_a_literal_fits_nothing_else(text: str, other: str) -> None:
    assert like(literal(text), other) is (text == other)


@given(_text, _text, _text)
def test_a_star_stands_for_any_text(before: str, middle: str, after: str) -> None:
    assert like(f"{literal(before)}*{literal(after)}", before + middle + after)


def test_pieces_do_not_overlap() -> None:
    assert not like("ab*ba", "aba")
    assert like("a*b*c", "aXbYc")
    assert not like("a*b*c", "acb")
