"""Which calls run together."""

from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.loop.batches import MOST_TOGETHER, partition
from roocode.protocol.messages import ToolCall


def calls(names: str) -> list[ToolCall]:
    return [ToolCall(str(index), name, {}) for index, name in enumerate(names)]


def shape(names: str) -> list[str]:
    return ["".join(c.name for c in b.calls) for b in partition(calls(names), lambda c: c.name == "R")]


def test_neighbours_that_are_safe_share_a_batch():
    assert shape("RRERR") == ["RR", "E", "RR"]
    assert shape("EE") == ["E", "E"]
    assert shape("") == []


def test_at_most_ten_run_at_once():
    assert shape("R" * 23) == ["R" * 10, "R" * 10, "R" * 3]


@given(st.text("RE", max_size=40))
def test_order_and_number_are_kept(names: str):
    batches = partition(calls(names), lambda c: c.name == "R")
    assert [c.id for b in batches for c in b.calls] == [str(i) for i in range(len(names))]
    assert all(len(b.calls) == 1 or (b.together and len(b.calls) <= MOST_TOGETHER) for b in batches)
