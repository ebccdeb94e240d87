"""What is made of the schemas and results that servers send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.tools.mcp.mending import mend_result
from roocode.tools.mcp.schemas import Unfit, repaired

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                (
                    "type",
                    "properties",
                    "required",
                    "anyOf",
                    "allOf",
                    "$ref",
                    "$defs",
                    "items",
                    "a",
                    "b c",
                    "enum",
                )
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_every_schema_becomes_one_of_an_object_or_is_refused(schema: Any) -> None:
    try:
        result = repaired(schema)
    except Unfit:
        return
    assert result["type"] == "object"
    assert isinstance(result["properties"], dict)
    assert set(result.get("required", ())) <= set(result["properties"])
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(result)
    json.dumps(result)


@pytest.mark.parametrize(
    ("schema", "fields", "required"),
    [
        (None, set(), None),
        ({}, set(), None),
        ({"properties": {"a": True}, "required": ["a", "gone", "a"]}, {"a"}, ["a"]),
        (
            {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]},
            {"a", "b"},
            ["a"],
        ),
        (
            {"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]},
            {"a", "b"},
            None,
        ),
        ({"$ref": "#/definitions/X", "definitions": {"X": {"properties": {"a": {}}}}}, {"a"}, None),
    ],
)
def test_what_is_mended(schema: Any, fields: set[str], required: list[str] | None) -> None:
    result = repaired(schema)

    assert set(result["properties"]) == fields
    assert result.get("required") == required


@pytest.mark.parametrize(
    "schema",
    [
        "text",
        {"type": "string"},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"properties": {"x" * 65: {}}},
        {"properties": {"a": {"description": "x" * 70_000}}},
    ],
)
def test_what_is_refused(schema: Any) -> None:
    with pytest.raises(Unfit):
        repaired(schema)


def test_a_schema_too_deep_is_refused_without_a_look_at_all_of_it() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"properties": {"a": schema}}

    with pytest.raises(Unfit, match="nested more than"):
        repaired(schema)


@given(st.dictionaries(st.sampled_from(("tools", "prompts", "resources", "content", "nextCursor")), JSON))
def test_no_result_is_too_broken_to_be_mended(result: dict[str, Any]) -> None:
    mend_result(result)

    assert isinstance(result.get("nextCursor", ""), str)
    assert isinstance(result.get("content", []), list)


def test_one_broken_item_does_not_cost_the_others() -> None:
    tools = [
        None,
        {"name": 3},
        {"name": "a", "annotations": 7, "icons": "x", "outputSchema": {"pattern": "("}},
    ]
    result = {"tools": tools, "nextCursor": 3}

    mend_result(result)

    assert [tool["name"] for tool in result["tools"]] == ["a"]
    assert "outputSchema" not in result["tools"][0], "no pattern of a stranger is run here"
    assert "nextCursor" not in result


def test_content_that_is_no_list_or_of_no_known_kind_becomes_text() -> None:
    result: dict[str, Any] = {"content": [{"type": "hologram"}, "plain", {"type": "text", "text": 3}]}
    mend_result(result)

    assert [part["text"] for part in result["content"]] == ["[something of type hologram]", "plain", "3"]
