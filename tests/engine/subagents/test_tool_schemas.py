"""The tools around sub-agents: what a model is told of them."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path

import pytest

from roocode.engine.subagents import tools
from roocode.security.permissions.names import TOOLS
from roocode.tools.schema import generate

FOLDER = Path(tools.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def tool_name(module: str) -> str:
    return "".join(word.capitalize() for word in module.split("_"))


@pytest.mark.parametrize("module", MODULES)
def test_the_kept_schema_is_what_the_input_gives(module: str) -> None:
    """Set ROOCODE_UPDATE_SCHEMAS to write them anew."""
    loaded = importlib.import_module(f"roocode.engine.subagents.tools.{module}")
    schema = generate(getattr(loaded, f"{tool_name(module)}Input"))
    kept = FOLDER / f"{module}.json"
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("ROOCODE_UPDATE_SCHEMAS"):
        kept.write_text(text, encoding="utf-8")
    assert kept.read_text(encoding="utf-8") == text
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
