"""Which tools may join a toolset after its start: what a server calls itself and describes is only data.

A description that a provider refuses would stay in every later request of the session, and a name that reads
like one of ours would be taken for it by people, rules and models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from roocode.protocol.tools import ToolSpec
from roocode.security.permissions.names import ALIASES, ELSEWHERE, TOOLS

MOST_BYTES: Final = 65_536
"""Bytes that a tool's description and schema may have together."""
DEEPEST: Final = 32
"""Levels that a schema may have."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_OURS = frozenset(name.casefold() for name in (*TOOLS, *ALIASES, *ELSEWHERE))


def objection(spec: ToolSpec, first: Collection[str]) -> str:
    """Why a tool cannot join those that were there first, or ""."""
    if not _NAME.fullmatch(spec.name):
        return "its name is not 1 to 64 of A-Z, a-z, 0-9, _ and -, a letter or digit first"
    if spec.name.casefold() in _OURS or spec.name.casefold() in {name.casefold() for name in first}:
        return "its name reads like one of RooCode's own tools"
    return _flaw(spec.parameters) or _excess(spec)


def _flaw(schema: object) -> str:
    """What providers refuse in a schema, or ""; its depth first, since what follows walks down."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return "its schema is not one of type object"
    if _is_deep(schema):
        return f"its schema has more than {DEEPEST} levels"
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not all(isinstance(p, Mapping) for p in properties.values()):
        return "the properties in its schema are not an object of schemas"
    required = schema.get("required", [])
    if not isinstance(required, list | tuple) or not set(map(str, required)) <= properties.keys():
        return "its schema requires what is no property of it"
    return ""


def _is_deep(schema: object) -> bool:
    level: list[Any] = [schema]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for node in level:
            below += node.values() if isinstance(node, Mapping) else node
        if len(below) > MOST_BYTES:
            return True
        level = [node for node in below if isinstance(node, Mapping | list | tuple)]
        if not level:
            return False
    return True


def _excess(spec: ToolSpec) -> str:
    try:
        schema = json.dumps(spec.parameters, ensure_ascii=False, allow_nan=False, default=dict)
    except (TypeError, ValueError):
        return "its schema is not JSON"
    size = len(spec.description.encode("utf-8", "replace")) + len(schema.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        return f"its description and schema have {size:,} bytes, more than {MOST_BYTES:,}"
    return ""
