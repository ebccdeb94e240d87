from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.assemble import assemble
from roocode.engine.models.endpoint import WireName
from roocode.engine.models.reader import LARGEST_ANSWER
from roocode.protocol.errors import ProviderError, ProviderRefused, StreamCut
from roocode.protocol.messages import Usage
from roocode.protocol.models import CallStarted, Finished, UsageReported
from tests.engine.models.shapes import Shape
from tests.engine.models.shapes_anthropic import ANTHROPIC, CALL, HELLO, START, STOP, block, json_delta
from tests.engine.models.shapes_openai import CHAT, OPENAI, chunk
from tests.engine.models.wires import anthropic_sse, chat_sse, read, reader

WHOLE = [shape for shape in ANTHROPIC + OPENAI if shape.error is None]


@given(st.sampled_from(WHOLE), st.lists(st.integers(1, 2000), max_size=10))
def test_any_pieces_give_the_same_events(shape: Shape, cuts: list[int]) -> None:
    body = b"".join(shape.pieces)
    places = [0, *sorted(cut for cut in cuts if cut < len(body)), len(body)]
    pieces = [body[a:b] for a, b in pairwise(places)]
    assert read(shape.protocol, pieces, turn=1) == shape.events


def test_an_answer_cut_anywhere_is_no_answer() -> None:
    last = HELLO.rindex(b"}")
    for length in range(last):
        with pytest.raises(StreamCut):
            read("anthropic", [HELLO[:length]])
    settled = CHAT.index(b'"stop"')
    for length in range(settled):
        with pytest.raises(StreamCut):
            read("openai", [CHAT[:length]])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
anthropic_words = [
    "type",
    "index",
    "message",
    "content_block",
    "delta",
    "usage",
    "text",
    "thinking",
    "signature",
    "data",
    "id",
    "name",
    "input",
    "partial_json",
    "error",
    "content",
    "stop_reason",
    "model",
    "input_tokens",
]
kinds = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "error",
    "text",
    "tool_use",
    "thinking",
]
chat_words = [
    "choices",
    "delta",
    "index",
    "message",
    "content",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "usage",
    "finish_reason",
    "error",
    "reasoning",
]


def nonsense(words: list[str], kinds: list[str]) -> st.SearchStrategy[Any]:
    leaves = json_values | st.sampled_from(kinds)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(words), inner, max_size=6)
        ),
        max_leaves=15,
    )


@pytest.mark.parametrize(("protocol", "words"), [("anthropic", anthropic_words), ("openai", chat_words)])
def test_nonsense_is_read_or_refused_but_never_breaks_the_reader(
    protocol: WireName, words: list[str]
) -> None:
    @given(st.lists(nonsense(words, kinds), max_size=4))
    def check(payloads: list[Any]) -> None:
        body = b"".join(f"data: {json.dumps(payload)}\n\n".encode() for payload in payloads)
        try:
            events = read(protocol, [body, b'data: {"type": "message_stop"}\n\ndata: [DONE]\n\n'])
        except ProviderError:
            return
        assert isinstance(events[-1], Finished)

    check()


def test_usage_is_estimated_and_marked_where_there_is_none() -> None:
    events = read("openai", [chat_sse(chunk({"content": "12345678"}, "stop"))])
    assert events[-2] == UsageReported(Usage(100, 2, estimated=True))


def test_usage_of_zero_is_no_usage() -> None:
    zero = chunk(usage={"prompt_tokens": 0, "completion_tokens": 0})
    events = read("openai", [chat_sse(chunk({"content": "1234"}, "stop"), zero)])
    assert [e.usage.estimated for e in events if isinstance(e, UsageReported)] == [True]

    nothing = START | {"message": {"usage": {"input_tokens": 0, "output_tokens": 0}}}
    events = read("anthropic", [anthropic_sse(nothing, STOP)])
    assert events == [UsageReported(Usage(100, 0, estimated=True)), Finished("end")]


def test_a_second_message_start_ends_the_blocks_before_it() -> None:
    begun, rest = block(0, CALL, json_delta("{")), block(0, CALL, json_delta("}"))[1:]
    (call,) = assemble(
        read("anthropic", [anthropic_sse(START, *begun[:2], START, *rest, STOP)])
    ).message.calls
    assert (call.arguments, call.raw) == (None, "{")


def test_ids_that_the_conversation_has_are_given_anew() -> None:
    shape = next(shape for shape in ANTHROPIC if shape.name == "call in pieces")
    events = read("anthropic", shape.pieces, taken=frozenset({"t1", "t1_2"}))
    assert [event.id for event in events if isinstance(event, CallStarted)] == ["t1_3"]


def test_an_answer_without_end_is_refused() -> None:
    source = reader("openai")
    piece = b"data: " + b"x" * 2**24
    for _ in range(LARGEST_ANSWER // len(piece)):
        list(source.feed(piece))
    with pytest.raises(ProviderRefused, match="more than"):
        list(source.feed(piece))


def test_nothing_at_all_is_a_cut() -> None:
    with pytest.raises(StreamCut):
        read("openai", [])
    with pytest.raises(StreamCut):
        read("anthropic", [b"\n \n"])


@pytest.mark.parametrize("body", [b'{"hello": 1}', b'{"choices": []}'])
@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_json_that_is_no_answer_is_refused(protocol: WireName, body: bytes) -> None:
    with pytest.raises(ProviderRefused, match="answers with JSON"):
        read(protocol, [body])


def test_json_that_is_cut_is_a_cut() -> None:
    with pytest.raises(StreamCut):
        read("openai", [b'{"choices": [{"mess'])
