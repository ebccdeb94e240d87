from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.surrogates import SurrogatePairs


def utf16_units(text: str) -> list[str]:
    raw = text.encode("utf-16-le")
    return [raw[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(raw), 2)]


@given(st.text(), st.integers(1, 3))
def test_text_that_was_cut_between_halves_is_whole_again(text: str, size: int) -> None:
    units = utf16_units(text)
    pairs = SurrogatePairs()
    deltas = ["".join(units[i : i + size]) for i in range(0, len(units), size)]
    assert "".join(pairs.mend("text", delta) for delta in deltas) == text


def test_streams_do_not_mix_and_lone_halves_are_replaced() -> None:
    pairs = SurrogatePairs()
    assert pairs.mend("a", "x\ud83d") == "x"
    assert pairs.mend("b", "\ude00") == "\ufffd"
    assert pairs.mend("a", "\ude00") == "😀"
    assert pairs.mend("a", "\ud83d") == ""
    assert pairs.mend("a", "y") == "\ufffdy"
