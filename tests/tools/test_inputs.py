"""Arguments of a model: taken where they can mean only one thing, explained where they do not fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from roocode.tools.inputs import BadInput, InputShape
from roocode.tools.schema import Input, Limit, expectation, fits, generate


@dataclass(frozen=True, slots=True)
class Sample(Input):
    """A sample."""

    path: Annotated[str, Limit(min_length=1)]
    """Where."""
    count: Annotated[int, Limit(ge=1, le=9)] | None = None
    """How many."""
    mode: Literal["a", "b"] = "a"
    """Which."""
    deep: bool = field(default=False, metadata={"wire": "-d"})
    """Below too."""


SHAPE = InputShape(Sample, generate(Sample))


def test_the_schema() -> None:
    assert SHAPE.schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "Where."},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "Which."},
            "-d": {"type": "boolean", "description": "Below too."},
        },
        "required": ["path"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ({"path": "x"}, Sample("x")),
        ({"path": "x", "count": 3, "mode": "b", "-d": True}, Sample("x", 3, "b", True)),
        ({"file_path": "x", "count": None}, Sample("x")),
        ({"path": "x", "count": "3", "-d": "true"}, Sample("x", 3, "a", True)),
        ({"path": "x", "count": 3.0, "-n": True}, Sample("x", 3)),
    ],
)
def test_what_is_taken(arguments: dict[str, Any], given: Sample) -> None:
    assert SHAPE.parse(arguments) == given


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "`path` is missing: it must be a string that is not empty"),
        ({"path": ""}, "`path` must be a string that is not empty, got ''"),
        ({"path": "x", "count": "x"}, "`count` must be an integer from 1 to 9, got 'x'"),
        ({"path": "x", "count": 10}, "`count` must be an integer from 1 to 9, got 10"),
        ({"path": "x", "count": 2**70}, "`count` must be an integer from 1 to 9, got 1180591620717411303424"),
        ({"path": ["x"] * 50}, "`path` must be a string that is not empty, got ['x', "),
        ({"path": "x", "mode": "c"}, "`mode` must be one of 'a', 'b', got 'c'"),
        ({"path": "x", "-d": "maybe"}, "`-d` must be true or false, got 'maybe'"),
        ({"path": "x", "cuont": 1}, "unknown field `cuont`: did you mean `count`?"),
        ({"path": "x", "other": 1}, "unknown field `other`: known are `path`, `count`, `mode`, `-d`"),
        ({"path": "x", "deep": True}, "unknown field `deep`: "),
        ({"path": "x", "file_path": "y"}, "unknown field `file_path`: did you mean `path`?"),
        ({"path": 1, "count": 0}, "`path` must be a string that is not empty, got 1; `count` must be"),
    ],
)
def test_what_is_explained(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as bad:
        SHAPE.parse(arguments)
    assert words in str(bad.value)
    assert len(str(bad.value)) < 300


@pytest.mark.parametrize(
    ("value", "schema", "fit"),
    [
        (True, {"type": "integer"}, False),
        (1, {"type": "boolean"}, False),
        ([1], {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, True),
        ([1, 2, 3], {"type": "array", "items": {"type": "integer"}, "maxItems": 2}, False),
        ({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["b"]}, False),
        (1.5, {"type": "number"}, False),
    ],
)
def test_fits(value: object, schema: dict[str, Any], fit: bool) -> None:
    assert fits(value, schema) is fit


def test_expectations() -> None:
    assert expectation({"type": "integer", "minimum": 1}) == "an integer ≥ 1"
    assert expectation({"type": "integer", "maximum": 1}) == "an integer ≤ 1"
    assert expectation({"type": "array"}) == "a list"
    assert expectation({"type": "object", "properties": {"a": {}}}) == "an object with `a`"
