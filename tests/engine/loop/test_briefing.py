"""Instructions reach the model at the start, in new directories, and again after a summary."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.protocol.events import RoomMade
from tests.engine.loop.conftest import PROTOCOLS, Opener, Session
from tests.engine.loop.test_room import DONE, SUMMARY, TOO_LONG, asked, talk, window


def sent(session: Session, request: int) -> str:
    return str(session.server.log[request].raw.decode())


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_projects_instructions_go_with_the_first_prompt_and_only_once(
    opened: Opener, protocol: str
) -> None:
    (opened.root / "ROOCODE.md").write_text("answer in haiku")
    async with opened({"text": "one"}, {"text": "two"}, protocol=protocol) as session:
        await session.say("first")
        await session.say("second")
        assert [sent(session, number).count("answer in haiku") for number in (0, 1)] == [1, 1]
        assert session.messages[0].spoken == "first"


@pytest.mark.asyncio
async def test_a_directorys_instructions_come_when_a_file_there_is_read(opened: Opener) -> None:
    for folder in ("api", "api/v2", "web"):
        (opened.root / folder).mkdir()
        (opened.root / folder / "AGENTS.md").write_text(f"rules of {folder}")
    (opened.root / "api/v2/x.txt").write_text("x")
    steps: list[Any] = [
        {"calls": [{"tool": "ReadFile", "input": {"path": "api/v2/x.txt"}}]} for _ in range(2)
    ]
    async with opened(*steps, DONE) as session:
        await session.say("look")
        assert [sent(session, number).count("rules of api/v2") for number in range(3)] == [0, 1, 1]
        assert sent(session, 1).index("rules of api") < sent(session, 1).index("rules of api/v2")
        assert "rules of web" not in sent(session, 2)


@pytest.mark.asyncio
async def test_after_a_summary_they_are_there_again_as_the_files_then_are(opened: Opener) -> None:
    (opened.root / "ROOCODE.md").write_text("the old rules")
    async with opened(*talk(9), flags=window(16_000), beside={"main/summary": [SUMMARY]}) as session:
        for number in range(9):
            (opened.root / "ROOCODE.md").write_text("the old rules" if number < 5 else "the new rules")
            await session.say(f"prompt {number}")
        assert session.seen(RoomMade) != []
        assert "the new rules" in sent(session, -1)
        assert "the old rules" not in sent(session, -1)


@pytest.mark.asyncio
async def test_what_one_session_remembers_the_next_one_is_told(opened: Opener) -> None:
    fact = {"kind": "project", "name": "tests", "text": "Run them with make check."}
    async with opened({"calls": [{"tool": "Remember", "input": fact}]}, DONE) as session:
        await session.say("note that")
        assert "make check" not in sent(session, 0)
        assert (opened.root / ".roocode/memory/project-tests.md").exists()
    async with opened(DONE) as session:
        await session.say("go on")
        assert sent(session, 0).count("make check") == 1
        assert session.messages[0].spoken == "go on"


@pytest.mark.asyncio
@pytest.mark.parametrize("kept", ["summary", "dropped"])
async def test_no_request_is_without_them_whatever_became_of_the_history(opened: Opener, kept: str) -> None:
    (opened.root / "ROOCODE.md").write_text("the rules")
    summary = SUMMARY if kept == "summary" else {"text": "", "always": True}
    refused = {"error": TOO_LONG}
    steps = [*talk(8), refused, {"text": "after the refusal"}]
    async with opened(*steps, flags=window(16_000), beside={"main/summary": [summary]}) as session:
        for number in range(9):
            await session.say(f"prompt {number}")
        assert {made.kind for made in session.seen(RoomMade)} == {kept}
        requests = [record.raw.decode() for record in asked(session, "main")]
        assert [text.count("the rules") for text in requests] == [1] * len(requests)


@pytest.mark.asyncio
async def test_a_link_in_a_circle_stops_neither_the_run_nor_the_next_one(opened: Opener) -> None:
    (opened.root / "loop.txt").symlink_to("loop.txt")
    (opened.root / "ROOCODE.md").write_text("the rules\n@include loop.txt\n")
    read = {"calls": [{"tool": "ReadFile", "input": {"path": "loop.txt/x"}}]}
    async with opened(read, {"text": "one"}, {"text": "two"}) as session:
        assert (await session.say("look")).text == "one"
        assert (await session.say("again")).text == "two"


@pytest.mark.asyncio
async def test_the_person_hears_of_what_could_not_be_included(opened: Opener) -> None:
    (opened.root / "ROOCODE.md").write_text("@include gone.md\n")
    async with opened({"text": "one"}) as session:
        assert [note for note in session.single.notes if "@include gone.md" in note] != []
        await session.say("look")
