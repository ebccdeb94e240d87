from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.engine.models.arguments import read_call


@pytest.mark.parametrize("raw", ["", "  ", "{}", " { } "])
def test_nothing_means_no_arguments(raw: str) -> None:
    assert read_call("c", "Edit", raw).arguments == {}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("{", "not valid JSON"),
        ('{"a": 1} junk', "not valid JSON"),
        ('{"a": 1}{"a": 1}', "not valid JSON"),
        ("[1]", "array, not an object"),
        ('"text"', "string, not an object"),
        ("null", "null, not an object"),
        ('{"a": NaN}', "NaN"),
        ('{"a": Infinity}', "Infinity"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a": {"b": 1, "b": 2}}', "'b' stands twice"),
        ('{"a": "\\ud83d"}', "surrogate"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not valid"),
    ],
)
def test_anything_but_one_object_is_a_complaint(raw: str, why: str) -> None:
    call = read_call("c", "Edit", raw)
    assert call.arguments is None
    assert call.raw == raw
    assert why in call.complaint
    assert "Edit" in call.complaint


scalars = st.none() | st.booleans() | st.integers() | st.text()
objects = st.dictionaries(st.text(), scalars | st.lists(scalars, max_size=3), max_size=5)


@given(objects, st.booleans())
def test_every_object_is_read(value: dict[str, Any], ascii_only: bool) -> None:
    assert read_call("c", "Edit", json.dumps(value, ensure_ascii=ascii_only)).arguments == value
