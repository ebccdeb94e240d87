"""A tool that is a shell line: its arguments come as data."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roocode.protocol.tools import ToolSpec
from roocode.tools.command_tool import LONGEST_VARIABLE, CommandTool
from tests.tools.conftest import Bench

SCHEMA = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "enum": ["a", "b"]},
        "count": {"type": "integer"},
        "list": {"type": "array"},
    },
    "required": ["word"],
    "additionalProperties": False,
}


def tool(bench: Bench, command: str, schema: dict[str, Any] | None = None) -> CommandTool:
    spec = ToolSpec("own", "d", schema or {"type": "object"})
    return CommandTool(spec, command, bench.root, bench.shells, {"ROOCODE_SKILL_DIR": "/s"})


@pytest.mark.asyncio
async def test_arguments_are_on_standard_input_and_in_the_environment(bench: Bench) -> None:
    line = 'cat; echo; echo "$ROOCODE_ARG_WORD|$ROOCODE_ARG_TWO_WORDS|$ROOCODE_SKILL_DIR|$ROOCODE_ARGUMENTS"'
    given = {"word": "x' $(touch evil)", "two words": [1]}
    outcome = await tool(bench, line).run(given, bench.decision)
    raw = json.dumps(given, ensure_ascii=False)
    assert outcome.content == f"{raw}\nx' $(touch evil)|[1]|/s|{raw}"
    assert list(bench.root.iterdir()) == []


@pytest.mark.asyncio
async def test_a_failure_is_told_with_its_code(bench: Bench) -> None:
    outcome = await tool(bench, "echo why; exit 3").run({}, bench.decision)
    assert (outcome.content, outcome.is_error) == ("why\n[exit code 3]", True)


@pytest.mark.asyncio
async def test_what_no_variable_can_hold_is_on_standard_input_alone(bench: Bench) -> None:
    given = {"nul": "a\0b", "long": "x" * (LONGEST_VARIABLE + 1)}
    line = 'wc -c; echo "${ROOCODE_ARG_NUL-none}${ROOCODE_ARG_LONG-none}"'
    outcome = await tool(bench, line).run(given, bench.decision)
    assert outcome.content.split() == [str(len(json.dumps(given))), "nonenone"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"word": "a", "count": 1, "list": []}, ""),
        ({}, "`word` is missing"),
        ({"word": "c"}, "`word` must be one of 'a', 'b'"),
        ({"word": "a", "count": True}, "`count` must be of type integer"),
        ({"word": "a", "other": 1}, "`other` is not known: the fields are word, count, list"),
    ],
)
def test_arguments_fit_their_schema(bench: Bench, arguments: dict[str, Any], complaint: str) -> None:
    assert tool(bench, "true", SCHEMA).complaint(arguments) == complaint


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_judged_never_depends_on_the_arguments(bench: Bench, arguments: dict[str, Any]) -> None:
    own = tool(bench, "ls")
    assert own.touches(arguments) == own.touches({})
    assert own.touches({}).command == "ls"
    assert own.touches({}).other
    assert not own.runs_alongside(arguments)
