"""Dataclasses as JSON with camelCase names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.team.codec import Malformed, decode, encode, timestamp
from roocode.protocol.team import Member, MemberReport, Task

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.builds(Task, id=texts, subject=texts, owner=st.none() | texts, commits=st.lists(texts).map(tuple)))
def test_what_is_encoded_is_decoded(task: Task):
    assert decode(Task, encode(task)) == task


@given(st.text(st.characters(min_codepoint=0xD700, max_codepoint=0x10FFFF)))
def test_whatever_a_model_writes_can_be_stored_as_utf_8(text: str):
    stored = encode(Task("1", text))["subject"]
    assert stored.encode().decode() == stored
    assert encode(Task("1", stored))["subject"] == stored


def test_lone_surrogates_are_replaced_and_pairs_joined():
    task = Task("1", "a\ud83d", description="\ud83d\ude00")
    assert (encode(task)["subject"], encode(task)["description"]) == ("a\ufffd", "\U0001f600")


def test_keys_inside_free_form_values_stay():
    report = MemberReport("alice", 1, "stopped", exit={"exit_code": 0, "byHand": [1, {"a_b": None}]})
    assert encode(report)["exit"] == {"exit_code": 0, "byHand": [1, {"a_b": None}]}
    assert decode(MemberReport, encode(report)) == report


@pytest.mark.parametrize("data", [None, [], "task", 3])
def test_not_an_object(data: object):
    with pytest.raises(Malformed, match="expected an object"):
        decode(Task, data)


def test_a_complaint_names_the_field_as_it_stands_in_the_file():
    with pytest.raises(Malformed, match="agentId: Field required") as malformed:
        decode(Member, {"name": "alice", "backendType": "screen"})
    assert "backendType: Input should be 'tmux', 'iterm2' or 'in-process'" in str(malformed.value)


def test_times_sort_as_text_and_are_utc():
    first, second = timestamp(), timestamp()
    assert first <= second
    assert len(first) == len("2026-01-02T03:04:05.678Z")
    assert first.endswith("Z")
