"""The built-in tools as a set."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roocode.tools import builtin
from roocode.tools.registry import ALIASES, build, canonical
from roocode.tools.schema import fits, generate
from tests.tools.conftest import Bench
from tests.tools.kept_schemas import check_kept, modules_of, tool_name

FOLDER = Path(builtin.__file__).parent
MODULES = modules_of(builtin)
CHARACTERS = 16_000


@pytest.mark.parametrize("module", MODULES)
def test_the_kept_schema_is_what_the_input_gives(module: str) -> None:
    check_kept(builtin, module)


def test_tools_come_in_a_stable_order_with_what_a_model_needs(bench: Bench) -> None:
    assert list(bench.tools) == [
        "Bash", "BashOutput", "EditFile", "Glob", "Grep", "KillShell", "ReadFile", "TodoWrite", "WriteFile",
    ]  # fmt: skip
    assert [tool.spec for tool in build(bench.services)] == [tool.spec for tool in bench.tools.values()]
    for tool in bench.tools.values():
        assert tool.spec.description
        assert tool.spec.parameters["type"] == "object"
        assert tool.spec.parameters["additionalProperties"] is False


def test_fields_are_those_of_the_command_line_document(bench: Bench) -> None:
    fields = {name: " ".join(tool.spec.parameters["properties"]) for name, tool in bench.tools.items()}
    assert fields == {
        "Bash": "command description timeout run_in_background",
        "BashOutput": "id",
        "EditFile": "path old_string new_string replace_all",
        "Glob": "pattern path",
        "Grep": "pattern path glob type output_mode -A -B -C -i multiline head_limit offset",
        "KillShell": "id",
        "ReadFile": "path offset limit",
        "TodoWrite": "todos",
        "WriteFile": "path content",
    }


def test_schemas_have_no_noise_and_all_of_it_is_short() -> None:
    total = 0
    for module in MODULES:
        schema = (FOLDER / f"{module}.json").read_text(encoding="utf-8")
        assert not any(noise in schema for noise in ('"title"', '"anyOf"', '"$ref"', '"default": null'))
        total += len(json.dumps(json.loads(schema))) + len((FOLDER / f"{module}.md").read_text())
    assert total < CHARACTERS


def test_aliases_lead_to_names() -> None:
    assert (canonical("Read"), canonical("Task"), canonical("Bash")) == ("ReadFile", "Agent", "Bash")
    assert {tool_name(module) for module in MODULES}.isdisjoint(ALIASES)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_fits_the_schema_is_taken_without_pydantic_as_with_it(data: st.DataObject) -> None:
    from pydantic import TypeAdapter

    from roocode.tools.builtin.grep import GrepInput
    from roocode.tools.inputs import InputShape

    shape = InputShape(GrepInput, generate(GrepInput))
    value = st.one_of(st.integers(-2, 3), st.booleans(), st.text(max_size=2), st.just("count"), st.none())
    given_ = data.draw(
        st.dictionaries(st.sampled_from(sorted(shape.schema["properties"])), value, max_size=5)
    )
    if fits(given_, shape.schema):
        names = {"-A": "after", "-B": "before", "-C": "around", "-i": "ignore_case"}
        renamed = {names.get(name, name): part for name, part in given_.items()}
        assert shape.parse(given_) == TypeAdapter(GrepInput).validate_python(renamed)


def test_building_the_tools_loads_nothing_heavy(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from roocode.protocol.tools import Workspace
from roocode.security.sandbox.files import SafeFiles
from roocode.security.sandbox.shell import Shells
from roocode.tools.registry import Services, build
space = Workspace(Path.cwd(), env={"PATH": "/usr/bin:/bin"})
services = Services(space, SafeFiles(space, Path.cwd()), Shells(space.env))
tools = {tool.spec.name: tool for tool in build(services)}
assert tools["ReadFile"].complaint({"path": "a", "limit": 3}) == ""
print(*sorted({"pydantic", "tree_sitter", "annotated_types", "ctypes"} & set(sys.modules)))
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split() == []
