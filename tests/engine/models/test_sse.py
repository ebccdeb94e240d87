from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.sse import EventDecoder, ServerSentEvent


def decode(*pieces: bytes) -> list[ServerSentEvent]:
    decoder = EventDecoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b"data: a\n\n", [("", "a")]),
        (b"event: x\ndata: a\n\n", [("x", "a")]),
        (b"data:a\ndata: b\ndata\n\n", [("", "a\nb\n")]),
        (b"data:  two blanks\n\n", [("", " two blanks")]),
        (b": comment\n\ndata: a\n\n", [("", "a")]),
        (b"event: lost\n\ndata: a\n\n", [("", "a")]),
        (b"id: 1\nretry: 5\nodd\ndata: a\n\n", [("", "a")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
        (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"data: a\n\ndata: b", [("", "a"), ("", "b")]),
        (b"data: a\n", [("", "a")]),
        (b"data: \xff\n\n", [("", "\ufffd")]),
        (b"data: a\xe2\x80\xa8b\n\n", [("", "a\u2028b")]),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_events(body: bytes, events: list[tuple[str, str]]) -> None:
    assert decode(body) == events


def test_a_line_end_may_be_cut_in_two() -> None:
    assert decode(b"data: a\r", b"\ndata: b\r", b"", b"\n\r\n") == [("", "a\nb")]


lines = st.sampled_from(
    [b"data: a", b"data: \xf0\x9f\x98\x80", b"data:", b"event: x", b": c", b"", b"\xef\xbb\xbf", b"junk"]
)
ends = st.sampled_from([b"\n", b"\r", b"\r\n"])
bodies = st.lists(st.tuples(lines, ends), max_size=12).map(lambda pairs: b"".join(a + b for a, b in pairs))


@given(bodies, st.lists(st.integers(0, 80), max_size=8))
def test_any_pieces_give_the_same_events(body: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(body)), len(body)]
    pieces = [body[a:b] for a, b in pairwise(places)]
    assert decode(*pieces) == decode(body)


@given(bodies)
def test_all_line_ends_mean_the_same(body: bytes) -> None:
    feeds = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert decode(body) == decode(feeds) == decode(feeds.replace(b"\n", b"\r\n"))
