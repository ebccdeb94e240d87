from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.call_ids import CallIds, portable, portable_name
from roocode.protocol.models import CallStarted

few_ids = st.sampled_from(["", "a", "a_2", "b", "call_3_0"])


@given(st.lists(few_ids), st.frozensets(few_ids))
def test_ids_are_all_different_and_never_empty(ids: list[str], taken: frozenset[str]) -> None:
    source = CallIds(taken, turn=3)
    settled = [source.settle(CallStarted(slot, call_id, "x")).id for slot, call_id in enumerate(ids)]
    assert len(set(settled)) == len(ids)
    assert not set(settled) & taken
    assert all(settled)


def test_an_id_that_is_free_stays() -> None:
    assert CallIds().settle(CallStarted(0, "toolu_1", "x")).id == "toolu_1"


nine = re.compile("[a-zA-Z0-9]{9}")


@given(st.text(min_size=1))
def test_ids_fit_the_strictest_endpoint(call_id: str) -> None:
    assert nine.fullmatch(portable(call_id, nine))
    assert portable(call_id, nine) == portable(call_id, nine)


@given(st.text())
def test_names_fit_every_endpoint(name: str) -> None:
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", portable_name(name))
