"""Further tools in whole sessions: told by name, found, sent from then on, and there again later."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from roocode.app.discovery import Discovery
from roocode.engine.loop.announcing import HEAD
from roocode.interaction.cli.requests import SessionChoice
from roocode.interaction.config.sources import Flag
from roocode.memory.compaction.size import tokens_in
from roocode.memory.sessions.conversation import replay
from roocode.protocol.events import Notice, RoomMade
from tests.engine.loop.conftest import ALLOW_ALL, PROTOCOLS, Opener, Session
from tests.engine.loop.further import SERVERS, Remote, tools_of
from tests.engine.loop.test_room import DONE, SUMMARY, asked, talk, window

CREATE = "mcp__github__create_issue"
LIST = "mcp__github__list_issue"
RESUMED = SessionChoice("last")
FORKED = SessionChoice("last", fork=True)


def search(query: str, **more: Any) -> dict[str, Any]:
    return {"tool": "ToolSearch", "input": {"query": query, **more}}


def use(name: str, *, unoffered: bool = False) -> dict[str, Any]:
    return {"tool": name, "input": {"id": "7"}, **({"unoffered": True} if unoffered else {})}


def share(part: float) -> tuple[Flag, ...]:
    return (ALLOW_ALL, Flag(("context", "tools"), part, "--test"))


def discovery(session: Session) -> Discovery:
    assert session.single.discovery is not None
    return session.single.discovery


def offered(session: Session, request: int) -> list[str]:
    """The further tools that a request had, in order."""
    tools = session.request(request)["tools"]
    names = [tool.get("name") or tool["function"]["name"] for tool in tools]
    return [name for name in names if name.startswith("mcp__")]


def told(session: Session, request: int) -> list[str]:
    """The lines about sources that a request had, in order."""
    texts: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, str):
            texts.extend(part for part in node.split("</system-reminder>") if HEAD in part)
        elif isinstance(node, dict | list):
            for part in node.values() if isinstance(node, dict) else node:
                walk(part)

    walk(session.request(request)["messages"])
    return [line[2:] for text in texts for line in text.split("\n") if line.startswith("- ")]


def breaks(session: Session) -> list[str]:
    return [record.prefix_break for record in session.server.log]


def noted(session: Session, kind: str) -> list[Any]:
    lines = session.single.conversation.path.read_text().splitlines()
    return [record for line in lines if (record := json.loads(line))["type"] == kind]


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_many_tools_are_told_by_name_found_and_sent_from_then_on(opened: Opener, protocol: str) -> None:
    steps = ({"calls": [search("create an issue", max_results=1)]}, {"calls": [use(CREATE)]}, DONE, DONE)
    async with opened(*steps, protocol=protocol, flags=share(0), sources=("github",)) as session:
        assert discovery(session).arrived("github", tools_of("github")) == {}
        await session.say("open an issue")
        await session.say("and on")

        assert [offered(session, number) for number in range(4)] == [[], [CREATE], [CREATE], [CREATE]]
        assert told(session, 0) == told(session, 3)
        (line,) = told(session, 0)
        assert line.startswith("github: mcp__github__{create_issue, create_pull_request, ")
        assert "required" in session.results[0].content
        assert session.results[1].content == f"{CREATE} did 7"
        assert breaks(session) == ["", "discovery", "", ""]
        assert session.single.conversation.breaks.counts == {"discovery": 1}
        assert [CREATE in notice.text for notice in session.seen(Notice)] == [True]


class Responses(Opener):
    """Sessions over the third protocol."""

    def environment(self, protocol: str, url: str) -> dict[str, str]:
        own = {"protocol": "openai-responses", "base_url": f"{url}/v1"}
        (self.home / ".roocode").mkdir()
        (self.home / ".roocode/config.yaml").write_text(
            json.dumps({"model": "own/m", "providers": {"own": own}})
        )
        return super().environment(protocol, url)


@pytest.mark.asyncio
async def test_a_grown_list_is_sent_over_the_third_protocol_too(tmp_path: Path) -> None:
    opened, steps = (
        Responses(tmp_path),
        ({"calls": [search(f"select:{CREATE}")]}, {"calls": [use(CREATE)]}, DONE),
    )
    async with opened(*steps, protocol="openai", flags=share(0), sources=("github",)) as session:
        discovery(session).arrived("github", tools_of("github"))
        await session.say("open an issue")

        assert {record.protocol for record in session.server.log} == {"openai-responses"}
        assert [offered(session, number) for number in range(3)] == [[], [CREATE], [CREATE]]
        assert breaks(session) == ["", "discovery", ""]


@pytest.mark.asyncio
async def test_the_discoveries_of_one_turn_are_one_break(opened: Opener) -> None:
    calls = [
        search(f"select:{LIST}"),
        search(f"select:{CREATE}"),
        use("mcp__jira__get_board", unoffered=True),
    ]
    async with opened({"calls": calls}, DONE, flags=share(0), sources=("github", "jira")) as session:
        for server in ("github", "jira"):
            discovery(session).arrived(server, tools_of(server))
        await session.say("go")

        assert offered(session, 1) == [LIST, CREATE, "mcp__jira__get_board"]
        assert breaks(session) == ["", "discovery"]
        assert session.single.conversation.breaks.counts == {"discovery": 1}
        assert len(session.seen(Notice)) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_call_of_a_tool_that_was_not_loaded_shows_its_schema_and_loads_it(
    opened: Opener, protocol: str
) -> None:
    steps = ({"calls": [use(CREATE, unoffered=True)]}, {"calls": [use(CREATE)]}, DONE)
    async with opened(*steps, protocol=protocol, flags=share(0), sources=("github",)) as session:
        discovery(session).arrived("github", tools_of("github"))
        await session.say("open an issue")

        assert [result.is_error for result in session.results] == [True, False]
        assert "Input schema: {" in session.results[0].content
        assert breaks(session) == ["", "discovery", ""]


@pytest.mark.asyncio
async def test_few_tools_are_sent_whole_with_the_first_request(opened: Opener) -> None:
    async with opened({"calls": [use(CREATE)]}, DONE, sources=("github", "jira")) as session:
        discovery(session).arrived("jira", tools_of("jira", 2))
        discovery(session).arrived("github", tools_of("github", 3), words="Issues are\nnumbered.")
        await session.say("open an issue")

        assert len(offered(session, 0)) == 5
        assert told(session, 0) == [
            "github: connected, with 3 tools in your list",
            "github says: Issues are numbered.",
            "jira: connected, with 2 tools in your list",
        ]
        assert breaks(session) == ["", ""]
        assert session.single.conversation.breaks.counts == {}
        assert session.seen(Notice) == []


@pytest.mark.asyncio
async def test_tools_that_come_late_are_one_growth_and_the_system_prompt_stays(opened: Opener) -> None:
    async with opened(DONE, DONE, DONE, sources=("github", "jira")) as session:
        await session.say("one")
        discovery(session).arrived("github", tools_of("github", 3))
        await session.say("two")
        discovery(session).arrived("jira", tools_of("jira", 2))
        await session.say("three")

        assert [len(offered(session, number)) for number in range(3)] == [0, 0, 5]
        assert told(session, 0) == [
            "github: being connected; ToolSearch waits for it",
            "jira: being connected; ToolSearch waits for it",
        ]
        names = "create_issue, get_issue, list_issue"
        assert told(session, 1)[2:] == [f"github: mcp__github__{{{names}}}"]
        assert told(session, 2)[3:] == [
            "github: connected, with 3 tools in your list",
            "jira: connected, with 2 tools in your list",
        ]
        assert breaks(session) == ["", "", "discovery"]


@pytest.mark.asyncio
async def test_a_server_that_is_always_loaded_is_sent_whatever_the_others_are(opened: Opener) -> None:
    async with opened(DONE, flags=share(0), sources=("github", "jira")) as session:
        discovery(session).arrived("jira", tools_of("jira", 2), always_load=True)
        discovery(session).arrived("github", tools_of("github"))
        await session.say("go")

        assert offered(session, 0) == [
            tool.name for tool in sorted(tools_of("jira", 2), key=lambda t: t.name)
        ]


@pytest.mark.asyncio
async def test_a_search_waits_for_servers_and_a_miss_names_those_that_failed(opened: Opener) -> None:
    steps = ({"calls": [search("create issue")]}, {"calls": [search("bake a cake")]}, DONE)
    async with opened(*steps, flags=share(0), sources=("github", "jira", "slack")) as session:
        running = session.start("go")
        await session.until_asked(1)
        discovery(session).failed("jira", "no such program: jira-mcp")
        discovery(session).arrived("slack", [])
        discovery(session).arrived("github", tools_of("github"))
        await running

        found, missed = session.results
        assert CREATE in found.content
        assert (found.is_error, missed.is_error) == (False, True)
        assert "None of the 30 further tools fits 'bake a cake'." in missed.content
        assert "jira has no tools here: no such program: jira-mcp" in missed.content
        assert "slack has no tools here: it offers none" in missed.content
        assert "jira: not there (no such program: jira-mcp)" in told(session, 1)


@pytest.mark.asyncio
async def test_three_hundred_tools_cost_little_until_they_are_used(opened: Opener) -> None:
    async with opened(DONE) as bare:
        await bare.say("go")
        before = tokens_in(bare.server.log[0].raw.decode())
    async with opened(DONE, DONE, sources=SERVERS) as session:
        for server in SERVERS:
            discovery(session).arrived(server, tools_of(server), words="How to use it. " * 300)
        await session.say("go")
        await session.say("on")
        cost = tokens_in(session.server.log[0].raw.decode()) - before

    assert offered(session, 1) == []
    assert sum(line.count(",") + 1 for line in told(session, 1)) == 300
    assert "more" not in "".join(told(session, 1))
    assert 1_000 < cost < 3_000


@pytest.mark.asyncio
async def test_names_that_would_cost_more_are_cut_and_still_found(opened: Opener) -> None:
    many = [Remote(f"mcp__github__{'long_' * 8}{number:04}") for number in range(2_000)]
    steps = ({"calls": [search(f"select:{many[-1].name}")]}, DONE)
    async with opened(*steps, sources=("github", "jira")) as session:
        discovery(session).arrived("github", many)
        discovery(session).arrived("jira", tools_of("jira", 30))
        await session.say("go")

        cut, whole = told(session, 0)
        assert cut.endswith(" more}")
        assert "more" not in whole
        assert tokens_in(cut + whole) < 2_400
        assert offered(session, 1) == [many[-1].name]
        assert told(session, 1) == told(session, 0)


@pytest.mark.asyncio
@pytest.mark.parametrize("choice", [RESUMED, FORKED])
async def test_what_was_found_is_sent_again_when_a_session_goes_on(
    opened: Opener, choice: SessionChoice
) -> None:
    first = ({"calls": [search(f"select:{LIST}")]}, {"calls": [search(f"select:{CREATE}")]}, DONE)
    async with opened(*first, flags=share(0), sources=("github", "jira")) as session:
        discovery(session).arrived("github", tools_of("github"))
        discovery(session).arrived("jira", tools_of("jira"))
        await session.say("go")
    async with opened(
        {"calls": [use(CREATE)]}, DONE, flags=share(0), sources=("github", "jira"), choice=choice
    ) as again:
        discovery(again).arrived("github", tools_of("github"))
        discovery(again).arrived("jira", tools_of("jira"))
        await again.say("on")

        assert offered(again, 0) == [LIST, CREATE]
        assert told(again, 1) == told(session, 2)
        assert replay(again.single.conversation.path).discovered == {LIST: "github", CREATE: "github"}
        assert again.results[-1].content == f"{CREATE} did 7"
        assert breaks(again) == ["", ""]


@pytest.mark.asyncio
@pytest.mark.parametrize("sources", [("github", "jira"), ("jira",)])
async def test_what_was_found_and_is_gone_is_left_out_and_said(
    opened: Opener, sources: tuple[str, ...]
) -> None:
    async with opened(
        {"calls": [search(f"select:{CREATE}")]}, DONE, flags=share(0), sources=("github",)
    ) as session:
        discovery(session).arrived("github", tools_of("github"))
        await session.say("go")
    async with opened(DONE, flags=share(0), sources=sources, choice=RESUMED) as again:
        if "github" in sources:
            discovery(again).failed("github", "connection refused")
        await again.say("on")

        why = "connection refused" if "github" in sources else "it is not set up now"
        assert offered(again, 0) == []
        assert f"github: not there ({why}); do not call its one tool of before" in told(again, 0)


@pytest.mark.asyncio
async def test_after_a_summary_names_are_told_again_and_the_summary_had_the_grown_list(
    opened: Opener,
) -> None:
    steps = ({"calls": [search(f"select:{CREATE}")]}, *talk(10))
    flags = (*window(20_000), Flag(("context", "tools"), 0.0, "--test"))
    async with opened(
        *steps, flags=flags, sources=("github",), beside={"main/summary": [SUMMARY]}, finishes=False
    ) as session:
        discovery(session).arrived("github", tools_of("github"))
        number = 0
        while not session.seen(RoomMade):
            await session.say(f"prompt {number}")
            number += 1
        (request,) = asked(session, "main/summary")[:1]

        names = [tool["name"] for tool in request.body["tools"]]
        last = session.request(-1)
        assert names == [tool["name"] for tool in last["tools"]]
        assert names[-1] == CREATE
        assert len(told(session, -1)) == 1


@pytest.mark.asyncio
async def test_the_grown_list_counts_at_once_as_what_fills_the_window(opened: Opener) -> None:
    async with opened(DONE, DONE, flags=share(1), sources=("github",)) as session:
        await session.say("one")
        room = session.single.agent.room
        assert room is not None
        before = room.filling()
        discovery(session).arrived("github", tools_of("github"))
        discovery(session).settle()
        grown = room.filling()

        assert grown.frame - before.frame > 1_000
        assert grown.messages == pytest.approx(before.messages, abs=0.5 * (grown.frame - before.frame))
        assert grown.used - before.used > 0.4 * (grown.frame - before.frame)
        await session.say("two")


@pytest.mark.asyncio
async def test_a_turn_that_is_taken_back_takes_no_tool_with_it(opened: Opener) -> None:
    steps = ({"calls": [search(f"select:{CREATE}")]}, DONE)
    async with opened(*steps, flags=share(0), sources=("github",)) as session:
        discovery(session).arrived("github", tools_of("github"))
        await session.say("go")
        await session.single.rewind(1, "conversation")
        await session.say("again")

        assert offered(session, 2) == [CREATE]
        assert len(told(session, 2)) == 1
        assert replay(session.single.conversation.path).discovered == {CREATE: "github"}


@pytest.mark.asyncio
async def test_what_a_rule_denies_is_neither_told_nor_found(opened: Opener) -> None:
    flags = (*share(0), Flag(("permissions", "deny"), CREATE, "--test"))
    async with opened(
        {"calls": [search(f"select:{CREATE}")]}, DONE, flags=flags, sources=("github",)
    ) as session:
        discovery(session).arrived("github", tools_of("github", 4))
        await session.say("go")

        assert "create_issue" not in told(session, 0)[0]
        assert session.results[0].is_error
        assert offered(session, 1) == []


@pytest.mark.asyncio
async def test_a_server_that_changes_or_goes_away_is_told_once(opened: Opener) -> None:
    async with opened(DONE, DONE, DONE, DONE, flags=share(0), sources=("github",)) as session:
        further = discovery(session)
        further.arrived("github", tools_of("github", 2))
        await session.say("one")
        further.arrived("github", tools_of("github", 1))
        await session.say("two")
        further.failed("github", "the key\nsk-ant-api03-0123456789abcdefghij0123456789 is old")
        await session.say("three")
        await session.say("four")

        assert [line.partition(" ")[2] for line in told(session, 3)][:2] == [
            "mcp__github__{create_issue, list_issue}",
            "mcp__github__{create_issue}",
        ]
        assert len(told(session, 3)) == 3
        assert told(session, 3)[2].startswith("github: not there (the key")
        assert further.tools() == ()


@pytest.mark.asyncio
async def test_no_source_passes_for_another(opened: Opener) -> None:
    async with opened(DONE, flags=share(0), sources=("github", "evil", "github__evil")) as session:
        further = discovery(session)
        own = Remote("mcp__github__create_issue", "The true one.")
        assert further.arrived("github", [own]) == {}
        assert list(further.arrived("evil", [Remote(own.name, "Another."), Remote("bash")])) == [
            own.name,
            "bash",
        ]
        assert list(further.arrived("github__evil", [Remote("mcp__github__evil__x")])) == [
            "mcp__github__evil__x"
        ]
        await session.say("go")

        assert [spec.description for spec in further.tools()] == ["The true one."]
        assert "evil: connected, without tools" in told(session, 0)


@pytest.mark.asyncio
async def test_a_search_waits_for_all_that_is_being_connected(opened: Opener) -> None:
    async with opened(finishes=False, sources=("github",)) as session:
        waiting = asyncio.create_task(discovery(session).absent())
        await asyncio.sleep(0)
        discovery(session).expect("jira")
        discovery(session).failed("github", "")
        assert not waiting.done()
        discovery(session).removed("jira")
        assert await waiting == {"github": "no reason is known"}
