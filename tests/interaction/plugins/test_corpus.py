"""Hooks and servers of real plugins: each file is told and kept, or refused with its reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roocode.interaction.plugins.account import account_of
from roocode.interaction.plugins.manifest import read_manifest
from roocode.interaction.plugins.tree import Entry

SHARED = Path(os.environ.get("ROOCODE_SHARED", "/nonexistent")) / "corpus"
HOOKS = sorted((SHARED / "settings/hooks").glob("*.json"))
SERVERS = sorted((SHARED / "settings/mcp").glob("*.json"))
PARTS = {
    "commands": sorted((SHARED / "commands").rglob("*.md")),
    "agents": [path for path in sorted((SHARED / "agents").glob("*.md")) if path.name != "SOURCES.md"],
}

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="there is no corpus")


@pytest.mark.parametrize("path", HOOKS, ids=lambda path: path.name)
def test_hooks(path: Path) -> None:
    tree = {"hooks/hooks.json": Entry("file", path.read_bytes())}
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert bool(found.hooks) != bool(found.faults)
    assert all(line.startswith("hook ") for line in found.runs)
    commands = path.read_text().count('"command":')
    assert sum(line.count("hook ") > 0 for line in found.runs) <= max(commands, len(found.runs))


@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.name)
def test_servers(path: Path) -> None:
    tree = {".mcp.json": Entry("file", path.read_bytes())}
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert found.brings
    assert all(line.startswith("MCP server ") for line in found.runs)


@pytest.mark.parametrize("kind", PARTS)
def test_every_command_and_agent_is_told(kind: str) -> None:
    tree = {
        f"{kind}/{number}.md": Entry("file", path.read_bytes()) for number, path in enumerate(PARTS[kind])
    }
    found = account_of(tree, read_manifest(tree, fallback="kit"))
    assert len(found.brings) + len(found.faults) >= len({each.data for each in tree.values()}) * 0.9
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
