"""The tools in a skill's tool.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.skills.own_tools import read_tools

GOOD = {"name": "count", "description": "Counts.", "command": "python3 scripts/count.py"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "my skill"
    (path / "scripts").mkdir(parents=True)
    (path / "scripts/count.py").write_text("")
    return path


def tool(folder: Path, **changed: Any) -> Any:
    ((found,), _) = read_tools(json.dumps({**GOOD, **changed}), folder)
    return found


def test_a_file_of_the_skill_is_run_where_it_lies(folder: Path) -> None:
    command = f"python3 '{folder}/scripts/count.py'"
    assert tool(folder).command == command
    assert tool(folder, command=["python3", "scripts/count.py"]).command == command
    assert tool(folder, command="python3", args=["scripts/count.py"]).command == command
    assert tool(folder, command="python3 ${CLAUDE_SKILL_DIR}/scripts/count.py | sort").command == (
        f"python3 '{folder}'/scripts/count.py | sort"
    )
    assert tool(folder, command="npm test").command == "npm test"


@pytest.mark.parametrize("shape", ["one", "list", "tools", "function"])
def test_one_or_many(folder: Path, shape: str) -> None:
    one = {**GOOD, "input_schema": {"type": "object"}}
    shapes: dict[str, Any] = {
        "one": one,
        "list": [one],
        "tools": {"tools": [one]},
        "function": [{"type": "function", "function": one}],
    }
    tools, notes = read_tools(json.dumps(shapes[shape]), folder)
    assert [each.name for each in tools] == ["count"]
    assert notes == ()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"name": "Bash"}, "Bash is the name of another tool"),
        ({"name": "Read"}, "Read is the name of another tool"),
        ({"name": "mcp__x__y"}, "mcp__x__y is the name of another tool"),
        ({"name": "a b"}, "'a b' is no name for a tool"),
        ({"description": " "}, "count has no description"),
        ({"parameters": {"type": "string"}}, "no JSON schema of type object"),
        ({"parameters": {"type": "object", "properties": []}}, "the properties of count are no object"),
        ({"parameters": {"type": "object", "x": "y" * 30_000}}, "longer than 20,000 characters"),
        ({"command": ""}, "count has no command"),
        ({"command": "sh ../../evil.sh"}, "leads out of the skill's directory"),
        ({"command": ["sh", "scripts/../../evil.sh"]}, "leads out of the skill's directory"),
        ({"command": "sh link/evil.sh"}, "leads out of the skill's directory"),
        ({"command": "sh 'open"}, "cannot be read"),
        ({"command": "sh a\0b"}, "NUL"),
    ],
)
def test_a_faulty_tool_is_not_offered_and_says_why(
    folder: Path, tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/evil.sh").write_text("touch evil")
    (folder / "link").symlink_to(tmp_path / "out")
    tools, notes = read_tools(json.dumps([{**GOOD, **changed}, {**GOOD, "name": "sound"}]), folder)
    assert [each.name for each in tools] == ["sound"]
    assert why in notes[0]


def test_no_json_is_a_note(folder: Path) -> None:
    assert "not valid JSON" in read_tools("{", folder)[1][0]
    assert "not valid JSON" in read_tools("[" * 100_000, folder)[1][0]


def test_too_many_are_cut(folder: Path) -> None:
    tools, notes = read_tools(json.dumps([{**GOOD, "name": f"t{n}"} for n in range(30)]), folder)
    assert len(tools) == 20
    assert "first 20 of 30" in notes[0]


@pytest.mark.parametrize("args", [5, None, "x", {"a": 1}, True])
def test_arguments_that_are_no_list_are_none(folder: Path, args: object) -> None:
    assert tool(folder, command=["python3", "scripts/count.py"], args=args).command == tool(folder).command


@pytest.mark.parametrize("command", ["x" * 5_000, ["x" * 5_000], ["sh", "y" * 5_000]])
def test_a_word_that_no_file_can_be_called_by_stays_a_word(folder: Path, command: object) -> None:
    said = tool(folder, command=command).command
    assert said == (command if isinstance(command, str) else " ".join(command))
