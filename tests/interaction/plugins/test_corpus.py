"""Hooks and servers of real plugins: each file is told and kept, or refused with its reason."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roocode.interaction.plugins.account import account_of
from roocode.interaction.plugins.manifest import read_manifest
from roocode.interaction.plugins.tree import Entry
from roocode.interaction.ui.safe_text import on_one_line
from roocode.protocol import front_matter

SHARED = Path(os.environ.get("ROOCODE_SHARED", "/nonexistent")) / "corpus"
HOOKS = sorted((SHARED / "settings/hooks").glob("*.json"))
SERVERS = sorted((SHARED / "settings/mcp").glob("*.json"))
PARTS = {
    "commands": sorted((SHARED / "commands").rglob("*.md")),
    "agents": [path for path in sorted((SHARED / "agents").glob("*.md")) if path.name != "SOURCES.md"],
}

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="there is no corpus")


def commands_in(data: Any) -> Iterator[str]:
    """Every text under a key `command`, however deep."""
    if isinstance(data, dict):
        yield from (value for key, value in data.items() if key == "command" and isinstance(value, str))
    for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from commands_in(inner)


@pytest.mark.parametrize("path", HOOKS, ids=lambda path: path.name)
def test_hooks(path: Path) -> None:
    tree = {"hooks/hooks.json": Entry("file", path.read_bytes())}
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert bool(found.hooks) != bool(found.faults)
    assert all(line.startswith("hook ") for line in found.runs)
    told = "\n".join(found.runs)
    assert all(on_one_line(command) in told for command in commands_in(json.loads(path.read_text())))


@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.name)
def test_servers(path: Path) -> None:
    tree = {".mcp.json": Entry("file", path.read_bytes())}
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    told = "\n".join(found.runs)
    assert found.brings
    assert all(line.startswith("MCP server ") for line in found.runs)
    assert all(on_one_line(command) in told for command in commands_in(json.loads(path.read_text())))


@pytest.mark.parametrize("kind", PARTS)
def test_every_command_and_agent_is_told(kind: str) -> None:
    tree = {f"{kind}/{at}.md": Entry("file", path.read_bytes()) for at, path in enumerate(PARTS[kind])}
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert not found.faults
    for at, path in enumerate(PARTS[kind]):
        name = front_matter.read(path.read_text("utf-8-sig")).fields.get("name") or at
        assert any(f" kit:{on_one_line(str(name))}" in line for line in found.brings), path
    assert all(line.isprintable() for line in (*found.brings, *found.runs))


def test_every_skill_is_told() -> None:
    tops = [path for path in sorted((SHARED / "skills").iterdir()) if path.is_dir()]
    tree = {
        f"skills/{top.name}/{path.relative_to(top)}": Entry("file", path.read_bytes())
        for top in tops
        for path in top.rglob("*")
        if path.is_file()
    }
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert len(found.brings) == sum(1 for path in tree if path.endswith("/SKILL.md"))
    assert not found.faults
