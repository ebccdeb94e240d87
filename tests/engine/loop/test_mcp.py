"""MCP servers of an open session: they do not hold it up, and what they ask goes to the person."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from roocode.protocol.events import SessionStarted
from roocode.security.sandbox.process import until
from tests.engine.loop.conftest import Opener
from tests.tools.mcp.conftest import Says

pytestmark = pytest.mark.asyncio
SERVERS = Path(__file__).parents[2] / "tools" / "mcp"


def given(script: str, *arguments: str) -> tuple[str, ...]:
    entry = {"command": sys.executable, "args": [str(SERVERS / script), *arguments]}
    return (json.dumps({"it": entry}),)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "input": arguments}]}


async def test_a_session_starts_beside_a_server_that_never_answers(opened: Opener) -> None:
    async with opened({"text": "hello"}, mcp_config=given("quirky.py", "silent")) as session:
        await session.say("hi")

        (started,) = session.seen(SessionStarted)
        assert started.servers == (("it", "pending"),)
        assert session.messages[-1].text == "hello"


async def test_a_server_asks_the_person_and_the_model_through_them(opened: Opener) -> None:
    person = Says(["blue", "Allow once"])
    steps = (call("mcp__it__paint", what="it"), call("mcp__it__think"), {"text": "done"})
    beside = {"main/mcp": [{"text": "a lot"}]}
    given_ = given("full_server.py")
    async with opened(*steps, mcp_config=given_, asker=person, beside=beside) as session:
        assert session.single.servers is not None
        await session.single.servers.settled(60)
        await session.say("go")

        assert [result.content for result in session.results] == ["it is blue", "the model says: a lot"]
        assert "user: What do you think?" in person.asked[1]


async def test_a_tool_that_comes_later_is_offered_in_the_next_request(opened: Opener) -> None:
    steps = (call("mcp__it__grow"), {"text": "grown"}, call("mcp__it__grown"), {"text": "done"})
    async with opened(*steps, mcp_config=given("full_server.py")) as session:
        single = session.single
        assert single.servers is not None
        await single.servers.settled(60)
        await session.say("go")
        tools = single.agent.tools
        assert await until(lambda: tools.knows("mcp__it__grown"), 20)
        await session.say("again")

        assert session.results[-1].content == "grown"
        first, last = ([tool["name"] for tool in session.request(at)["tools"]] for at in (0, 3))
        assert last == [*first, "mcp__it__grown"], "what was sent stays, what is new comes behind"


async def test_a_rewritten_description_never_reaches_the_model(opened: Opener) -> None:
    echoes = [call("mcp__it__echo", text=text) for text in "xy"]
    steps = (echoes[0], {"text": "once"}, echoes[1], {"text": "done"})
    async with opened(*steps, mcp_config=given("quirky.py", "rewrites")) as session:
        servers = session.single.servers
        assert servers is not None
        await servers.settled(60)
        await session.say("go")
        assert await until(lambda: len(servers.connections["it"].offering.tools) == 2, 20)
        await session.say("again")

        for index in (0, 3):
            (echo,) = (tool for tool in session.request(index)["tools"] if tool["name"] == "mcp__it__echo")
            assert echo["description"] == "Says it again."
        assert [result.content for result in session.results] == ["x", "y"]
