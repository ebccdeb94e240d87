"""Arguments against the schemas of the scheduling tools."""

from typing import Any

import pytest

from roocode.engine.team.tools.schema import Schema, misfit, text, texts

FIELDS: Schema = {
    "type": "object",
    "properties": {
        "id": text("id", least=1),
        "ids": texts("ids"),
        "flag": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "any": {
            "anyOf": [
                text("words", least=1),
                {"type": "object", "properties": {"x": text("x")}, "required": ["x"]},
            ]
        },
    },
    "required": ["id"],
}


@pytest.mark.parametrize(
    "value",
    [
        {"id": "1"},
        {"id": "1", "ids": [], "flag": False, "kind": "b", "any": "words"},
        {"id": "1", "ids": ["2", "3"], "any": {"x": ""}},
    ],
)
def test_what_fits(value: Any):
    assert misfit(value, FIELDS) == ""


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "id: missing, expected string"),
        ([], "arguments: expected object, found array"),
        ({"id": 1}, "id: expected string, found number"),
        ({"id": None}, "id: expected string, found null"),
        ({"id": ""}, "id: must not be empty"),
        ({"id": "1", "flag": "true"}, "flag: expected boolean, found string"),
        ({"id": "1", "flag": 1}, "flag: expected boolean, found number"),
        ({"id": "1", "ids": "2"}, "ids: expected array, found string"),
        ({"id": "1", "ids": ["2", 3]}, "ids[1]: expected string, found number"),
        ({"id": "1", "kind": "c"}, 'kind: expected one of a, b, found "c"'),
        ({"id": "1", "task_id": "2"}, "task_id: unknown field; expected id, ids, flag, kind, any"),
        ({"id": "1", "any": True}, "any: expected string or object, found boolean"),
        ({"id": "1", "any": {}}, "any.x: missing, expected string"),
        ({"id": "1", "any": {"x": []}}, "any.x: expected string, found array"),
        ({"id": "1", "any": {"x": {}}}, "any.x: expected string, found object"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_expected(value: Any, problem: str):
    assert misfit(value, FIELDS) == problem
