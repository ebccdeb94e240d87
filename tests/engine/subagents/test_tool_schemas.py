"""The tools around sub-agents: what a model is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.engine.subagents import tools
from roocode.security.permissions.names import TOOLS
from tests.tools.kept_schemas import check_kept, modules_of, tool_name

FOLDER = Path(tools.__file__).parent
MODULES = modules_of(tools)


@pytest.mark.parametrize("module", MODULES)
def test_the_kept_schema_is_what_the_input_gives(module: str) -> None:
    check_kept(tools, module)
    assert tool_name(module) in TOOLS


def test_fields_are_those_of_the_command_line_document() -> None:
    read = {name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in MODULES}
    fields = {tool_name(name): " ".join(schema["properties"]) for name, schema in read.items()}
    assert fields == {
        "Agent": "prompt description subagent_type model run_in_background name isolation",
        "SendMessage": "to summary message",
        "TaskCreate": "subject description",
        "TaskGet": "taskId",
        "TaskList": "",
        "TaskStop": "taskId",
        "TaskUpdate": "taskId status owner subject description addBlocks addBlockedBy",
    }
    assert read["agent"]["required"] == ["prompt", "description"]
