"""Checks that strict providers share, over bodies of which nothing is known yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether this is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a JSON array."""
    return isinstance(value, list)


def is_count(value: object) -> bool:
    """Whether this is a whole number above zero (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def blank(value: object) -> bool:
    """Whether this is no text, or text of white space alone."""
    return not isinstance(value, str) or not value.strip()


def extra_keys(place: str, value: Mapping[str, Any], known: frozenset[str]) -> Iterator[str]:
    """Complains of keys that the protocol does not have."""
    if value.keys() <= known:
        return
    prefix = f"{place}." if place else ""
    for key in value:
        if key not in known:
            yield f"{prefix}{key}: Extra inputs are not permitted"


def schema(place: str, value: object) -> Iterator[str]:
    """Complains of a tool's parameters that are not a JSON schema of type object."""
    if not is_object(value):
        yield f"{place}: a JSON schema is required"
        return
    if value.get("type") != "object":
        yield f"{place}.type: must be 'object'"
    properties = value.get("properties", {})
    if not is_object(properties) or not all(is_object(item) for item in properties.values()):
        yield f"{place}.properties: must be an object of schemas"
        return
    required = value.get("required", [])
    if not is_array(required) or any(name not in properties for name in required):
        yield f"{place}.required: must be an array of names of properties"


def tool_name(place: str, name: object, seen: set[str]) -> Iterator[str]:
    """Complains of a tool's name that no provider takes, or that another tool has; notes it in `seen`."""
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        yield f"{place}: must match ^[a-zA-Z0-9_-]{{1,64}}$"
    elif name in seen:
        yield f"{place}: tool names must be unique, {name!r} is there twice"
    else:
        seen.add(name)
