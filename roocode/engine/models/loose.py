"""Readers of JSON that promises nothing: what is of another kind counts as empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def mapping(value: Any) -> Mapping[str, Any]:
    """The object, else an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The objects of an array, else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The text, else ""."""
    return value if isinstance(value, str) else ""


def json_text(value: Any) -> str:
    """The text; of any other value its JSON, since servers send as an object what should be text."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def count(value: Any) -> int:
    """The number above zero, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
