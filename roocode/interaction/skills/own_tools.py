"""The tools that a skill brings: what its `tool.json` says of them."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roocode.interaction.config.document import parse_json
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.permissions.names import ALIASES, ELSEWHERE, TOOLS

FILE = "tool.json"
MOST = 20
LONGEST_DESCRIPTION = 4_000
LONGEST_SCHEMA = 20_000

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SHELL = re.compile(r"[;&|<>`$()\n]")


@frozen
class OwnTool:
    """A tool of a skill: `command` is the shell line that it runs, whatever its arguments are."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    command: str


def read_tools(text: str, folder: Path) -> tuple[tuple[OwnTool, ...], tuple[str, ...]]:
    """The tools in a `tool.json`, and why others of it are not offered. Raises nothing."""
    tools: dict[str, OwnTool] = {}
    notes: list[str] = []
    try:
        entries = list(_entries(parse_json(text)))
    except ValueError as error:
        return (), (f"{FILE}: not valid JSON: {str(error)[:200]}",)
    for entry in entries[:MOST]:
        try:
            tool = _tool(entry, folder)
        except UserError as error:
            notes.append(f"{FILE}: {error.what}")
            continue
        if tool.name in tools:
            notes.append(f"{FILE}: {tool.name} comes twice")
        tools.setdefault(tool.name, tool)
    if len(entries) > MOST:
        notes.append(f"{FILE}: only the first {MOST} of {len(entries)} tools are offered")
    return tuple(tools.values()), tuple(notes)


def _entries(data: object) -> Iterator[object]:
    """One tool, a list of them, or a list below `tools`; `function` may stand around each."""
    if isinstance(data, Mapping) and isinstance(data.get("tools"), list):
        data = data["tools"]
    for entry in data if isinstance(data, list) else [data]:
        yield (
            entry["function"] | {k: v for k, v in entry.items() if k != "function"}
            if (isinstance(entry, dict) and isinstance(entry.get("function"), dict))
            else entry
        )


def _tool(entry: object, folder: Path) -> OwnTool:
    if not isinstance(entry, Mapping):
        raise UserError("a tool must be an object with name, description, parameters and command")
    name = entry.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UserError(f"{str(name)[:80]!r} is no name for a tool: letters, digits, - and _, at most 64")
    if name in TOOLS | ELSEWHERE or name in ALIASES or name.startswith("mcp__"):
        raise UserError(f"{name} is the name of another tool")
    description = entry.get("description")
    if not isinstance(description, str) or not description.strip():
        raise UserError(f"{name} has no description")
    return OwnTool(
        name, description.strip()[:LONGEST_DESCRIPTION], _schema(name, entry), _command(name, entry, folder)
    )


def _schema(name: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    keys = ("parameters", "input_schema", "inputSchema", "schema")
    schema: object = next((entry[key] for key in keys if key in entry), {})
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise UserError(f"the parameters of {name} are no JSON schema of type object")
    if not isinstance(schema.get("properties", {}), dict):
        raise UserError(f"the properties of {name} are no object")
    if len(json.dumps(schema)) > LONGEST_SCHEMA:
        raise UserError(f"the parameters of {name} are longer than {LONGEST_SCHEMA:,} characters")
    return {"type": "object", "properties": {}} | schema


def _command(name: str, entry: Mapping[str, Any], folder: Path) -> str:
    """The line to run. Words that name a file of the skill become its whole path."""
    said = entry.get("command") or entry.get("run") or entry.get("exec")
    args = entry.get("args")
    further = [word for word in args if isinstance(word, str)] if isinstance(args, list) else []
    if isinstance(said, list) and said and all(isinstance(word, str) for word in said):
        return shlex.join(_placed(word, folder, name) for word in [*said, *further])
    if not isinstance(said, str) or not said.strip():
        raise UserError(f"{name} has no command")
    if "\0" in said:
        raise UserError(f"the command of {name} holds a NUL character")
    if isinstance(args, list):
        return shlex.join(_placed(word, folder, name) for word in [said, *further])
    line = _with_folder(said.strip(), folder)
    if _SHELL.search(line):
        return line
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UserError(f"the command of {name} cannot be read: {error}") from error
    return shlex.join(_placed(word, folder, name) for word in words)


def _with_folder(line: str, folder: Path) -> str:
    for variable in ("ROOCODE_SKILL_DIR", "CLAUDE_SKILL_DIR"):
        line = line.replace(f"${{{variable}}}", shlex.quote(str(folder)))
    return line


def _placed(word: str, folder: Path, name: str) -> str:
    """A word of the command; a file of the skill by its path. Raises UserError for one that leads out."""
    word = word.replace("${ROOCODE_SKILL_DIR}", str(folder)).replace("${CLAUDE_SKILL_DIR}", str(folder))
    if "\0" in word:
        raise UserError(f"the command of {name} holds a NUL character")
    file = folder / word
    if os.path.isabs(word) and not word.startswith(f"{folder}/"):
        return word
    if ".." in Path(word).parts or not _lies_in(file, folder):
        raise UserError(f"{word} in the command of {name} leads out of the skill's directory")
    return str(file) if not word.startswith("-") and _is_file(file) else word


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        return False


def _lies_in(file: Path, folder: Path) -> bool:
    try:
        return file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False
