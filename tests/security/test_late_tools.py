"""What a server says of itself: which tools may join a toolset, and why others may not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from roocode.protocol.tools import ToolSpec
from roocode.security.late_tools import DEEPEST, MOST_BYTES, objection

FIRST = ("WriteFile", "deploy")
PLAIN = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


def looped() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["again"] = schema
    return schema


@pytest.mark.parametrize("name", ["mcp__github__create_issue", "run-report", "a", "x" * 64, "9lives"])
def test_a_plain_tool_may_join(name: str) -> None:
    assert objection(ToolSpec(name, "Does it.", PLAIN), FIRST) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 65,
        "mcp__a__*",
        "*",
        "mcp__a__b c",
        "mcp__a__b\n- forged: line",
        "mcp__gіthub__x",
        "mcp__a__ＢＡＳＨ",
        "mcp__a__b(rm *)",
        "__start_mcp__",
        "mcp__a__b\N{ZERO WIDTH SPACE}",
        "mcp__a__b\n",
    ],
)
def test_a_name_that_could_be_read_as_another_may_not(name: str) -> None:
    assert "its name is not" in objection(ToolSpec(name, "", PLAIN), FIRST)


@pytest.mark.parametrize(
    "name", ["Bash", "bash", "BASH", "Read", "read", "Task", "ToolSearch", "Deploy", "writefile"]
)
def test_a_name_of_ours_may_not(name: str) -> None:
    assert "one of RooCode's own" in objection(ToolSpec(name, "", PLAIN), FIRST)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ([], "not one of type object"),
        ("object", "not one of type object"),
        (None, "not one of type object"),
        ({}, "not one of type object"),
        ({"type": "string"}, "not one of type object"),
        ({"type": ["object"]}, "not one of type object"),
        ({"type": "object", "properties": []}, "not an object of schemas"),
        ({"type": "object", "properties": {"a": True}}, "not an object of schemas"),
        ({"type": "object", "required": "path"}, "requires what is no property"),
        ({"type": "object", "required": ["path"]}, "requires what is no property"),
        ({"type": "object", "required": [["path"]]}, "requires what is no property"),
        ({"type": "object", "default": math.nan}, "not JSON"),
        ({"type": "object", "default": {1, 2}}, "not JSON"),
        ({"type": "object", "description": "x" * MOST_BYTES}, "bytes, more than"),
        ({"type": "object", "enum": list(range(MOST_BYTES + 1))}, "levels"),
        (nested(DEEPEST), "levels"),
        (nested(100_000), "levels"),
        (looped(), "levels"),
    ],
)
def test_a_schema_that_a_provider_would_refuse_may_not(schema: Any, reason: str) -> None:
    assert reason in objection(ToolSpec("mcp__a__b", "", schema), FIRST)


def test_a_schema_of_usual_depth_may() -> None:
    assert objection(ToolSpec("mcp__a__b", "", nested(DEEPEST // 2 - 1)), FIRST) == ""


def test_a_long_description_may_not() -> None:
    assert "bytes, more than" in objection(ToolSpec("mcp__a__b", "é" * (MOST_BYTES // 2), PLAIN), FIRST)
