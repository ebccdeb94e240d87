"""Real servers, written with the protocol's own package: over pipes and over HTTP, in both of its eras."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roocode.tools.mcp.config import ServerConfig
from tests.tools.mcp.conftest import ALLOWED, HERE, Opener, Run, Says, stdio

pytestmark = pytest.mark.asyncio


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def over_http(port: int, script: str = "full_server.py") -> Iterator[subprocess.Popen[bytes]]:
    """A server on a port, until the block is left."""
    with subprocess.Popen(
        [sys.executable, str(HERE / script), *(["http"] if script == "full_server.py" else []), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def at(port: int, **more: object) -> ServerConfig:
    url = f"http://127.0.0.1:{port}/mcp"
    return ServerConfig("it", "http", "user", "a test", url=url, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("legacy", [False, True], ids=["2026", "2025"])
async def test_everything_that_a_server_offers(connected: Opener, legacy: bool) -> None:
    person = Says(["red"])
    async with connected(stdio("full_server.py", legacy=legacy), asker=person) as run:
        offering = run.connection().offering
        assert run.connection().status == "connected"
        assert offering.version == ("2025-11-25" if legacy else "2026-07-28")
        assert offering.instructions == "Ask it for a colour."

        await _uses_everything(run, person)
        await _hears_of_a_grown_list(run)


async def test_the_same_over_http(connected: Opener) -> None:
    port, person = free_port(), Says(["red"])
    with over_http(port):
        async with connected(at(port), asker=person, pauses_s=(0.2,) * 200) as run:
            await run.until(lambda: run.connection().status == "connected")
            await _uses_everything(run, person)
            await _hears_of_a_grown_list(run)


async def _uses_everything(run: Run, person: Says) -> None:
    painted = await run.call("mcp__it__paint", what="it")
    assert painted.content == "it is red"
    assert "The MCP server it asks: Which colour?" in person.asked[0]

    assert (await run.call("mcp__it__count", to=3)).content == "counted"
    assert "it count: 1 of 3: at 1" in run.told

    seen = await run.call("mcp__it__picture")
    (kept,) = run.keep.folder.glob("*.png")
    assert f"a picture of type image/png, 70 bytes, kept in {kept}" in seen.content
    assert kept.read_bytes().startswith(b"\x89PNG")
    kept.unlink()

    assert (await run.call("mcp__it__where")).content.startswith("file:///")
    assert (await run.call("mcp__it__think")).is_error, "nobody gave it a model"

    broken = await run.call("mcp__it__fails")
    assert broken.is_error
    assert "fails" in broken.content
    unfit = await run.call("mcp__it__count", to="many")
    assert unfit.is_error
    assert run.tools()["mcp__it__count"].complaint({}) == "mcp__it__count also needs `to`"

    tools = {tool.spec.name: tool for tool in run.servers.resource_tools(run.keep)}
    listed = await tools["ListMcpResources"].run({}, ALLOWED)
    assert "it: note://one" in listed.content
    assert "it: note://{number}/copy [template]" in listed.content
    read = tools["ReadMcpResource"]
    assert (await read.run({"server": "it", "uri": "note://one"}, ALLOWED)).content == "the note says: 1"
    assert (await read.run({"server": "it", "uri": "note://7/copy"}, ALLOWED)).content == "copy 7"
    assert (await read.run({"server": "it", "uri": "note://none/at/all"}, ALLOWED)).is_error

    (prompt,) = run.servers.prompts()
    assert (prompt.name, [each.name for each in prompt.arguments]) == ("mcp__it__greet", ["name", "tone"])
    said = await run.servers.render(prompt, {"name": "Ada"}, run.keep)
    assert said == "Greet Ada in a kind tone."


async def _hears_of_a_grown_list(run: Run) -> None:
    before = set(run.tools())
    await run.call("mcp__it__grow")
    await run.until(lambda: set(run.tools()) - before == {"mcp__it__grown"})
    assert (await run.call("mcp__it__grown")).content == "grown"


async def test_a_cancel_reaches_the_server_and_leaves_the_connection(connected: Opener) -> None:
    async with connected(stdio("full_server.py")) as run:
        calling = asyncio.create_task(run.call("mcp__it__hang"))
        await run.until(lambda: "it hang: 0 of 1: hanging" in run.told)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling

        log = run.connection().log.path
        await run.until(lambda: "hang was cancelled" in log.read_text())
        assert (await run.call("mcp__it__count", to=1)).content == "counted"


async def test_without_a_person_a_question_is_declined(connected: Opener) -> None:
    async with connected(stdio("full_server.py")) as run:
        outcome = await run.call("mcp__it__paint", what="it")
        assert outcome.is_error


async def test_an_http_server_that_dies_costs_a_call_and_is_found_again(connected: Opener) -> None:
    port = free_port()
    with over_http(port) as first:
        async with connected(at(port), pauses_s=(0.2,) * 500) as run:
            await run.until(lambda: run.connection().status == "connected")
            calling = asyncio.create_task(run.call("mcp__it__hang"))
            await run.until(lambda: "it hang: 0 of 1: hanging" in run.told)
            first.kill()
            outcome = await calling
            assert outcome.is_error
            assert "went away" in outcome.content
            await run.until(lambda: run.connection().status != "connected")
            with over_http(port):
                await run.until(lambda: run.connection().status == "connected")
                assert (await run.call("mcp__it__count", to=1)).content == "counted"


async def test_a_server_that_is_not_there_says_so(connected: Opener, tmp_path: Path) -> None:
    missing = ServerConfig("gone", "stdio", "user", "a test", command=str(tmp_path / "nothing"))
    async with connected(missing, at(free_port())) as run:
        states = {each.server: each for each in run.servers.failed()}
        assert states["gone"].reason.startswith(f"cannot run {tmp_path / 'nothing'}")
        assert states["it"].status == "failed"


async def test_a_start_is_not_waited_for(connected: Opener) -> None:
    async with connected(stdio("quirky.py", "silent"), wait=False) as run:
        assert run.servers.states() == (("it", "pending"),)
