"""Sub-agents and MCP servers whose tools come late: who has them, and what a fork's prefix makes of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.prefix import common
from tests.app.subagents.family import Families, agent, asked, typed

QUIRKY = Path(__file__).parents[2] / "tools" / "mcp" / "quirky.py"
EVERY = ("anthropic", "openai", "openai-responses")
ECHO = {"tool": "mcp__it__echo", "input": {"text": "hello"}}
GLOB = {"tool": "Glob", "input": {"pattern": "*"}}


def search(query: str) -> dict[str, Any]:
    """A search waits for servers that are being connected."""
    return {"tool": "ToolSearch", "input": {"query": query}}


def configuration(root: Path, quirk: str = "plain") -> tuple[str, ...]:
    """A server that begins once there is a file `go`."""
    line = f'until [ -e "{root}/go" ]; do sleep 0.02; done; exec "{sys.executable}" "{QUIRKY}" {quirk}'
    return (json.dumps({"mcpServers": {"it": {"command": "/bin/sh", "args": ["-c", line]}}}),)


def let(root: Path) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": f'touch "{root}/go"'}}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "start",
    [
        typed(name="ann"),
        typed(name="ann", run_in_background=True),
        agent(name="ann"),
        agent(name="ann", subagent_type="one"),
    ],
)
async def test_tools_that_come_after_it_began_are_its_own_too(
    families: Families, start: dict[str, Any]
) -> None:
    tools = ["Bash", "ToolSearch", "mcp__it"]
    agents = json.dumps({"one": {"description": "x", "prompt": "Look.", "tools": tools}})
    plays = {
        "main": [{"calls": [start]}, {"text": "I wait."}, {"always": True, "text": "Done."}],
        "ann": [
            {"calls": [let(families.root)]},
            {"calls": [search("select:mcp__it__echo")]},
            {"calls": [ECHO]},
            {"when": {"result": {"contains": "hello", "error": False}}, "text": "It says hello."},
        ],
    }
    options = {"mcp_config": configuration(families.root), "agents": agents}
    async with families.family(plays, finishes=False, **options) as session:
        await session.single.begin()
        await session.say("Go.")
        assert len(asked(session.server, "ann")) == 4


@pytest.mark.asyncio
async def test_one_whose_list_leaves_a_server_out_has_none_of_its_tools(families: Families) -> None:
    agents = json.dumps({"one": {"description": "x", "prompt": "Look.", "tools": ["Bash", "ToolSearch"]}})
    plays = {
        "main": [{"calls": [agent(name="ann", subagent_type="one")]}, {"text": "Done."}],
        "ann": [
            {"calls": [let(families.root)]},
            {"calls": [search("select:mcp__it__echo")]},
            {"when": {"result": {"error": True}}, "text": "There is none."},
        ],
    }
    options = {"mcp_config": configuration(families.root), "agents": agents}
    async with families.family(plays, **options) as session:
        await session.single.begin()
        assert (await session.say("Go.")).text == "Done."


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY)
@pytest.mark.parametrize("quirk", ["plain", "many"])
@pytest.mark.parametrize("when", ["before", "within"])
async def test_a_forks_list_is_what_its_parent_last_sent(
    families: Families, protocol: str, quirk: str, when: str
) -> None:
    """Also where the list grows between that request and the fork: by a server that is there, or a search."""
    wanted = "mcp__it__echo" if quirk == "plain" else "mcp__it__t7"
    growing = [let(families.root), search(f"select:{wanted}")]
    fork = agent(name="ann")
    plays = {
        "main": [
            {"calls": growing if when == "before" else [GLOB]},
            {"calls": [*growing, fork] if when == "within" else [fork]},
            {"text": "I wait."},
            {"always": True, "text": "Done."},
        ],
        "ann": [{"text": "A."}],
    }
    options = {"mcp_config": configuration(families.root, quirk)}
    async with families.family(plays, protocol=protocol, finishes=False, **options) as session:
        await session.single.begin()
        await session.say("Go.")
        before, first = asked(session.server, "main")[1], asked(session.server, "ann")[0]
        assert common(before.prompt, first.prompt) == len(before.prompt)
        assert (wanted in json.dumps(before.body["tools"])) == (when == "before")
        said = json.dumps(first.body)
        assert "those of MCP servers" in said
        assert "SendMessage, mcp__" not in said
