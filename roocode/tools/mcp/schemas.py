"""Makes of a server's input schema one that every provider takes, or says why that cannot be. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

AS_SENT = "x-roocode-as-sent"
"""Holds a schema that is not of an object, on its way through the SDK, which refuses it."""
LARGEST = 64 * 1024
DEEPEST = 40
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_CHOICES = ("anyOf", "oneOf", "allOf")
_NOISE = ("$schema", "$id", "$comment", "examples")


class Unfit(Exception):
    """A schema that no call could be made by; the message says why."""


def repaired(schema: object) -> dict[str, Any]:
    """The schema as an object with properties, at its top without choices. Raises Unfit."""
    if schema is None:
        return {"type": "object", "properties": {}}
    if not isinstance(schema, Mapping):
        raise Unfit("its input schema is not an object")
    _check_size(schema)
    top = _merged(_resolved(schema))
    kind = top.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise Unfit(f"its input is of type {kind!r}, and only an object can be sent")
    properties = _mapping(top.get("properties"))
    for name in properties:
        if not _NAME.fullmatch(str(name)):
            raise Unfit(f"no provider takes the name of its field {str(name)[:80]!r}")
    kept = {key: value for key, value in top.items() if key not in _NOISE}
    result = kept | {"type": "object", "properties": {name: _part(each) for name, each in properties.items()}}
    names = [name for name in _texts(top.get("required")) if name in properties]
    result.pop("required", None)
    return result | ({"required": list(dict.fromkeys(names))} if names else {})


def _check_size(schema: Mapping[str, Any]) -> None:
    if _depth(schema) > DEEPEST:
        raise Unfit(f"its input schema is nested more than {DEEPEST} deep")
    size = len(json.dumps(schema, ensure_ascii=False, default=str))
    if size > LARGEST:
        raise Unfit(f"its input schema has {size:,} characters, and {LARGEST:,} is the most")


def _depth(value: object) -> int:
    """How deep a value is nested, counted without recursion and no further than needed."""
    layer, depth = [value], 0
    while layer and depth <= DEEPEST:
        inner = [each for each in layer if isinstance(each, Mapping | list)]
        layer = [part for each in inner for part in (each.values() if isinstance(each, Mapping) else each)]
        depth += 1
    return depth


def _resolved(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that a reference at the very top means."""
    top, seen = dict(schema), 0
    while isinstance(ref := top.get("$ref"), str) and seen < DEEPEST:
        target: Any = schema
        for part in ref.removeprefix("#").strip("/").split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            raise Unfit(f"its input schema refers to {ref[:80]!r}, which it does not hold")
        rest = {key: value for key, value in top.items() if key != "$ref"}
        top, seen = {**rest, **target}, seen + 1
    if "$ref" in top:
        raise Unfit("its input schema refers to itself")
    return top


def _merged(top: dict[str, Any]) -> dict[str, Any]:
    """Without choices at the top: the fields of all of them, required where every choice requires them."""
    for word in _CHOICES:
        choices = [_resolved({**each, **_definitions(top)}) for each in _objects(top.pop(word, None))]
        if not choices:
            continue
        properties: dict[str, Any] = {}
        for each in choices:
            properties |= _mapping(each.get("properties"))
        needs = [set(_texts(each.get("required"))) for each in choices]
        shared = set.union(*needs) if word == "allOf" else set.intersection(*needs)
        top["properties"] = properties | _mapping(top.get("properties"))
        top["required"] = [*_texts(top.get("required")), *sorted(shared)]
    return top


def _definitions(top: Mapping[str, Any]) -> dict[str, Any]:
    return {key: top[key] for key in ("$defs", "definitions") if key in top}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _part(schema: object) -> Any:
    """A field's schema; `true`, which means anything, as an empty one."""
    if not isinstance(schema, Mapping):
        return {}
    part = {key: value for key, value in schema.items() if key not in _NOISE}
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), Mapping):
            part[key] = _part(part[key])
    if isinstance(part.get("properties"), Mapping):
        part["properties"] = {name: _part(each) for name, each in part["properties"].items()}
        part.setdefault("type", "object")
    return part
