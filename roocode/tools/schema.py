"""The JSON schema of a tool's input: made from its type by pydantic, kept beside the tool, read at start.

Importing pydantic costs 80 ms and 5 MB in every process, and there is one process an agent: the schemas
are made when a tool is written, and a test keeps them true.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

Schema = Mapping[str, Any]


class Input:
    """Base of what a tool takes: frozen dataclasses whose fields have their docstring below them.

    A field whose name for the model is no identifier says so in its metadata: `{"wire": "-A"}`.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid", "use_attribute_docstrings": True}


class Limit:
    """A bound on a field, for pydantic: `Annotated[int, Limit(ge=1)]`, `Annotated[str, Limit(min_length=1)]`.

    It does the work of the `annotated_types` package, which takes longer to import than all tools together.
    """

    def __init__(self, **bounds: int) -> None:
        self.bounds = bounds

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Called by pydantic."""
        return {**handler(source), **self.bounds}


def wire_names(input_type: type[Any]) -> dict[str, str]:
    """The model's name of each field."""
    return {field.name: field.metadata.get("wire", field.name) for field in dataclasses.fields(input_type)}


def generate(input_type: type[Any]) -> dict[str, Any]:
    """The schema of an input, as the model sees it: without titles, references and nulls."""
    from pydantic import TypeAdapter

    raw = TypeAdapter(input_type).json_schema()
    schema: dict[str, Any] = _plain(raw, raw.get("$defs", {}))
    wire = wire_names(input_type)
    return schema | {"properties": {wire[name]: part for name, part in schema["properties"].items()}}


def _plain(node: Any, definitions: Schema) -> Any:
    if isinstance(node, list):
        return [_plain(part, definitions) for part in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        target: dict[str, Any] = _plain(definitions[node["$ref"].rpartition("/")[2]], definitions)
        return target | _rest(node, "$ref")
    if "anyOf" in node:
        (choice,) = (part for part in node["anyOf"] if part != {"type": "null"})
        return _plain(choice, definitions) | _rest(node, "anyOf")
    if "properties" in node:
        parts = {name: _plain(part, definitions) for name, part in node["properties"].items()}
        return {"type": "object", "properties": parts} | _rest(node, "properties", "description")
    return {key: _plain(value, definitions) for key, value in _rest(node).items()}


def _rest(node: Schema, *without: str) -> dict[str, Any]:
    noise = {"title", "$defs", *without}
    return {
        key: value
        for key, value in node.items()
        if key not in noise and not (key == "default" and value in (None, [], "", 0))
    }


def fits(value: Any, schema: Schema) -> bool:
    """Whether a JSON value is exactly what such a schema asks for, nothing converted."""
    if "enum" in schema and value not in schema["enum"]:
        return False
    match schema["type"]:
        case "object":
            return isinstance(value, Mapping) and _fits_object(value, schema)
        case "array":
            low, high = schema.get("minItems", 0), schema.get("maxItems", math.inf)
            items = schema["items"]
            return (
                isinstance(value, list) and low <= len(value) <= high and all(fits(v, items) for v in value)
            )
        case "integer":
            low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
            return type(value) is int and low <= value <= high
        case "string":
            return isinstance(value, str) and len(value) >= schema.get("minLength", 0)
        case "boolean":
            return isinstance(value, bool)
        case _:
            return False


def _fits_object(value: Mapping[str, Any], schema: Schema) -> bool:
    parts = schema["properties"]
    known = all(name in parts and fits(part, parts[name]) for name, part in value.items())
    return known and all(name in value for name in schema.get("required", ()))


def expectation(schema: Schema) -> str:
    """What a schema asks for, in words that follow "must be"."""
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    match schema.get("type"):
        case "integer":
            return "an integer" + _bounds(schema.get("minimum"), schema.get("maximum"))
        case "string":
            return "a string that is not empty" if schema.get("minLength") else "a string"
        case "boolean":
            return "true or false"
        case "array":
            low, high = schema.get("minItems"), schema.get("maxItems")
            return "a list" + (f" of {low} to {high} items" if low and high else "")
        case _:
            return "an object with " + ", ".join(f"`{name}`" for name in schema.get("properties", ()))


def _bounds(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    return f" ≥ {low}" if low is not None else f" ≤ {high}" if high is not None else ""


def part_at(schema: Schema, path: Sequence[str | int]) -> Schema:
    """The schema of a part: `("questions", 0, "options")`; empty where there is none."""
    for step in path:
        schema = (
            schema.get("items", {}) if isinstance(step, int) else schema.get("properties", {}).get(step, {})
        )
    return schema
