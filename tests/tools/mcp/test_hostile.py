"""What stops a server that means harm, or is broken: each case names the wall that it runs against."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import psutil
import pytest

from roocode.protocol.tools import Touches
from roocode.tools.mcp.faults import ServerDown
from roocode.tools.mcp.offering import LONGEST_DESCRIPTION, MOST_ITEMS, MOST_PAGES
from tests.tools.mcp.conftest import Opener, quirky

pytestmark = pytest.mark.asyncio


async def test_instructions_in_a_description_are_cut_and_grant_nothing(connected: Opener) -> None:
    async with connected(quirky("instructs")) as run:
        (tool,) = run.tools().values()

        assert len(tool.spec.description) <= LONGEST_DESCRIPTION
        assert tool.touches({"text": "x"}) == Touches(other=True), "readOnlyHint is a stranger's word"
        assert not tool.runs_alongside({"text": "x"})


async def test_names_never_collide_with_ours_or_with_each_other(connected: Opener) -> None:
    async with connected(quirky("collide"), quirky("plain", name="other")) as run:
        names = [*run.tools(), *run.tools("other")]

        assert all(name.startswith("mcp__it__") for name in run.tools())
        assert len(names) == len(set(names)) == 9
        assert all(len(name) <= 64 and name.isascii() for name in names)
        assert {"mcp__it__Bash", "mcp__it__a_b", "mcp__it__mcp__other__x"} <= set(names)
        notes = "\n".join(run.connection().offering.notes)
        assert "its name has 0 characters" in notes
        assert "'echo' is listed twice" in notes


async def test_schemas_are_mended_or_refused_with_a_reason(connected: Opener) -> None:
    async with connected(quirky("schemas")) as run:
        schemas = {name: tool.spec.parameters for name, tool in run.tools().items()}
        notes = "\n".join(run.connection().offering.notes)

    assert set(schemas) == {"mcp__it__typeless", "mcp__it__ref", "mcp__it__choice"}
    assert all(schema["type"] == "object" for schema in schemas.values())
    assert set(schemas["mcp__it__choice"]["properties"]) == {"a", "b"}
    assert "'list' is left out: its input is of type 'array'" in notes
    assert "'odd' is left out: no provider takes the name of its field 'a b!'" in notes
    assert "'huge' is left out: its input schema has" in notes


@pytest.mark.parametrize(
    ("quirk", "tools", "note"),
    [
        ("endless", MOST_PAGES, f"more than {MOST_PAGES} pages"),
        ("circle", 1, "goes in a circle"),
        ("many", MOST_ITEMS, "more than 1,000 tools"),
    ],
)
async def test_a_list_without_an_end_is_cut(connected: Opener, quirk: str, tools: int, note: str) -> None:
    async with connected(quirky(quirk)) as run:
        assert len(run.connection().offering.tools) == tools
        assert any(note in each for each in run.connection().offering.notes)


async def test_junk_on_standard_output_is_logged_and_passed_over(connected: Opener) -> None:
    async with connected(quirky("junk")) as run:
        assert (await run.call("mcp__it__echo", text="still here")).content == "still here"

    log = run.connection().log.path.read_text()
    assert "no message of the protocol" in log
    assert "starting up..." in log


async def test_huge_output_comes_whole_for_the_conversation_to_spill(connected: Opener) -> None:
    async with connected(quirky("floods")) as run:
        outcome = await run.call("mcp__it__echo", text="")

    assert len(outcome.content) == 17 * 200_000


async def test_a_message_without_an_end_ends_the_server_not_us(connected: Opener) -> None:
    async with connected(quirky("oversized")) as run:
        outcome = await run.call("mcp__it__echo", text="")

        assert outcome.is_error
        assert "went away" in outcome.content


async def test_a_server_that_never_answers_fails_at_its_deadline(connected: Opener) -> None:
    async with connected(quirky("silent", start_timeout_s=1.0)) as run:
        assert run.connection().status == "failed"
        assert run.connection().reason == "it did not answer within 1 s"


async def test_a_call_that_is_never_answered_ends_at_its_limit(connected: Opener) -> None:
    async with connected(quirky("mute", call_timeout_s=1.0)) as run:
        outcome = await run.call("mcp__it__echo", text="x")

        assert outcome.is_error
        assert "it took more than 1 s" in outcome.content
        assert run.connection().status == "connected"


async def test_a_death_in_the_middle_of_a_call_is_a_result_and_the_server_comes_back(
    connected: Opener,
) -> None:
    async with connected(quirky("dies")) as run:
        outcome = await run.call("mcp__it__echo", text="x")
        assert outcome.is_error
        assert "went away" in outcome.content
        assert asyncio.current_task() is not None
        await run.until(lambda: run.connection().status == "connected")


async def test_one_that_dies_again_and_again_is_given_up(connected: Opener) -> None:
    async with connected(quirky("refuses"), pauses_s=(0.01, 0.01)) as run:
        assert run.connection().status == "failed"
        assert run.connection().reason == "it ended with 1: cannot find my database"
        log = run.connection().log.path
        await run.until(lambda: log.read_text().count("--- started") == 3)
        await run.until(lambda: run.connection().status == "failed")
        with pytest.raises(ServerDown, match="cannot find my database"):
            await run.connection().request(lambda client: client.list_tools())
        assert log.read_text().count("--- started") == 4, "a call is worth one more try"

    assert "cannot find my database" in log.read_text()


async def test_a_rewritten_list_changes_no_tool_under_the_same_name_unseen(connected: Opener) -> None:
    async with connected(quirky("rewrites")) as run:
        before = run.tools()["mcp__it__echo"].spec
        await run.call("mcp__it__echo", text="x")
        await run.until(lambda: len(run.tools()) == 2)

        assert "mcp__it__further" in run.tools()
        assert before.description == "Says it again.", "what the model was sent stays what it was"


async def test_a_storm_of_messages_leaves_us_time(connected: Opener) -> None:
    async with connected(quirky("storms")) as run:
        assert (await run.call("mcp__it__echo", text="through")).content == "through"
        assert run.connection().status == "connected"


async def test_a_tool_that_was_withdrawn_says_so(connected: Opener) -> None:
    async with connected(quirky("withdraws")) as run:
        tool = run.tools()["mcp__it__echo"]
        await run.call("mcp__it__echo", text="x")
        await run.until(lambda: run.tools() == {})

        outcome = await tool.run({"text": "x"}, None)  # type: ignore[arg-type]
        assert "no longer has echo" in outcome.content


async def test_it_gets_no_key_of_ours_and_a_group_of_its_own(connected: Opener) -> None:
    async with connected(quirky("tells", env={"ITS_OWN": "yes"})) as run:
        told = json.loads((await run.call("mcp__it__echo", text="")).content)

        assert told["env"]["ITS_OWN"] == "yes"
        assert set(told["env"]) <= {"PATH", "HOME", "ITS_OWN", "ROOCODE_MCP", "LC_CTYPE"}
        assert os.getpgid(told["pid"]) == told["pid"]


async def test_a_persons_own_server_runs_apart_from_an_untrusted_directory(
    connected: Opener, tmp_path: Path
) -> None:
    planted = tmp_path / "project" / "bin"
    planted.mkdir(parents=True, exist_ok=True)
    path = f"{planted}:{os.environ['PATH']}"
    async with connected(quirky("tells", apart=True), env={"PATH": path, "HOME": str(tmp_path)}) as run:
        told = json.loads((await run.call("mcp__it__echo", text="")).content)

    assert told["cwd"] == str(tmp_path)
    assert str(planted) not in told["env"]["PATH"].split(":")


async def test_nothing_is_left_of_one_that_clings_to_life(connected: Opener) -> None:
    async with connected(quirky("clings")) as run:
        mark = f"ROOCODE_MCP={run.servers.token}."
        assert len(_carrying(mark)) == 2

    assert _carrying(mark) == []


def _carrying(mark: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            environ = Path(f"/proc/{process.pid}/environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in environ:
            found.append(process.pid)
    return found


async def test_what_it_says_on_standard_error_is_masked_in_its_log(connected: Opener) -> None:
    async with connected(
        quirky("talks", "s3cr3t-value"), mask=lambda text: text.replace("s3cr3t-value", "[secret]")
    ) as run:
        log = run.connection().log.path
        await run.until(lambda: "the key is" in log.read_text())

    assert "the key is [secret] and that is all" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
