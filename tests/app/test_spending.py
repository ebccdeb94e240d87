"""What a session has used goes with it: money, tokens and the budget, over every resume."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roocode.app.spending import Account, Budget, Spent, prices_of, spent_in
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import replay
from roocode.protocol.commands import ShowContext
from roocode.protocol.events import Answered, Notice, RoomMade, SessionStarted
from roocode.protocol.messages import Message, Reply, Text, Usage, user
from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.test_going_on import Goings
from tests.app.test_talk import Person, talking
from tests.engine.loop.conftest import Session

Scripted = Callable[..., ScriptedServer]
SONNET = "anthropic/claude-sonnet-5-5"
USED = {"input": 100_000, "output": 10_000}
"""0.3 USD of SONNET."""


def answers(count: int, used: dict[str, int] = USED) -> dict[str, Any]:
    return {"agents": {"main": [{"text": f"Answer {number}.", "usage": used} for number in range(count)]}}


@pytest.fixture
def ask(roocode: Roocode, scripted: Scripted) -> Callable[..., tuple[dict[str, Any], str]]:
    """One prompt to SONNET; returns the result and standard error."""
    server = scripted(answers(9))

    def run(*arguments: str) -> tuple[dict[str, Any], str]:
        done: subprocess.CompletedProcess[str] = roocode(
            "-p", "Go", "--model", SONNET, "--output-format", "json", *arguments, **address(server)
        )
        value: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (53 if value["subtype"] == "error_max_budget_usd" else 0)
        return value | {"requests": len(server.log)}, done.stderr

    return run


Ask = Callable[..., tuple[dict[str, Any], str]]


def test_the_result_says_what_the_run_and_what_the_session_has_used(ask: Ask) -> None:
    first, _ = ask()
    assert (first["total_cost_usd"], first["session_cost_usd"]) == (pytest.approx(0.3), pytest.approx(0.3))
    second, _ = ask("-c")
    assert second["total_cost_usd"] == pytest.approx(0.3)
    assert second["session_cost_usd"] == pytest.approx(0.6)
    assert second["usage"]["input_tokens"] == 100_000
    assert second["session_usage"]["input_tokens"] == 200_000
    forked, _ = ask("-c", "--fork-session")
    assert forked["session_cost_usd"] == pytest.approx(0.3)


def test_what_was_used_before_counts_against_the_budget(ask: Ask) -> None:
    ask()
    over, said = ask("-c", "--max-budget-usd", "0.25")
    assert over["subtype"] == "error_max_budget_usd"
    assert over["requests"] == 1
    assert "the budget of 0.25 USD is used up, so nothing was asked" in over["error"]
    assert "this session has used 110,000 tokens, 0.3000 USD; its budget: 0.25 USD" in said


def test_a_budget_goes_with_its_session_until_another_is_given(ask: Ask) -> None:
    ask("--max-budget-tokens", "110000")
    over, said = ask("-c")
    assert over["subtype"] == "error_max_budget_usd"
    assert over["requests"] == 1
    assert "its budget: 110,000 tokens" in said
    again, _ = ask("-c", "--max-budget-tokens", "300000")
    assert again["result"] == "Answer 1."
    more, _ = ask("-c")
    assert more["result"] == "Answer 2."
    assert ask("-c")[0]["requests"] == 3


def test_a_fork_has_no_budget_and_no_past(ask: Ask) -> None:
    ask("--max-budget-usd", "0.2")
    value, said = ask("-c", "--fork-session")
    assert value["subtype"] == "success"
    assert "budget" not in said


def test_show_says_what_was_used_and_how_git_was(ask: Ask, roocode: Roocode, project: Path) -> None:
    ask("-n", "mine")
    shown = roocode("sessions", "show", "mine")
    facts = shown.stdout.split("\n\n")[0].splitlines()
    assert facts[0].startswith("session ")
    assert "[mine], begun " in facts[0]
    assert facts[1:3] == [f"directory  {project}", f"model      {SONNET}, mode default"]
    assert facts[3].startswith("git        branch ")
    assert ", no commit yet" in facts[3]
    assert facts[4] == "used       110,000 tokens, 0.3000 USD"
    (project / ".roocode" / "config.yaml").write_text("nonsense: [")
    assert "0.3000 USD" in roocode("sessions", "show", "mine").stdout


def test_prices_that_a_person_set_hold_for_what_was_used(
    scripted: Scripted, roocode: Roocode, home: Path
) -> None:
    server = scripted(answers(1, {"input": 1_000_000, "output": 0}))
    (home / ".roocode").mkdir()
    own = f"providers: {{own: {{protocol: openai, base_url: {server.url}/v1}}}}\n"
    (home / ".roocode" / "config.yaml").write_text(f"model: own/m\n{own}")
    roocode("-p", "Go", "-n", "mine")
    assert "1,000,000 tokens, cost unknown" in roocode("sessions", "show", "mine").stdout
    priced = "models: {own/m: {input_price: 1, output_price: 4}}\n"
    (home / ".roocode" / "config.yaml").write_text(f"model: own/m\n{own}{priced}")
    assert "1,000,000 tokens, 1.0000 USD" in roocode("sessions", "show", "mine").stdout


@pytest.mark.asyncio
async def test_a_chat_that_goes_on_begins_with_the_cost_so_far(tmp_path: Path) -> None:
    goings = Goings(tmp_path)
    async with goings.opener({"text": "One.", "usage": USED}) as session:
        await session.say("go")
    async with goings.again() as session:
        (started,) = session.seen(SessionStarted)
        assert started.cost_usd == pytest.approx(0.3)
        assert started.usage.total == 110_000
        assert session.single.context().endswith("this session has used 110,000 tokens, 0.3000 USD")


@pytest.mark.asyncio
async def test_context_says_what_the_session_has_used(tmp_path: Path) -> None:
    async with talking(tmp_path, {"text": "One.", "usage": USED}, first="go") as (session, person):
        await session.until_asked(1)
        await until_rest(session, person)
        person.give(ShowContext())
        while not any("this session has used" in text(event) for event in person.events):
            person.shown.clear()
            await person.shown.wait()
        (said,) = (text(event) for event in person.events if "this session has used" in text(event))
        assert said.endswith("this session has used 110,000 tokens, 0.3000 USD")


async def until_rest(session: Session, person: Person) -> None:
    await session.until(lambda: any(type(event).__name__ == "RunEnded" for event in session.events))


def text(event: object) -> str:
    return event.text if isinstance(event, Notice) else ""


def account(path: Path, budget: Budget = Budget()) -> Account:  # noqa: B008
    if path.exists():
        conversation, past = Conversation.resume(path)
        return Account(conversation, past, budget, prices_of(None), "main")
    header = Header(id="s", cwd="/w", model=SONNET, mode="default", system="S")
    return Account(Conversation.create(path, header), None, budget, prices_of(None), "main")


def answered(agent: str, usage: Usage, usd: float | None) -> Answered:
    return Answered(agent=agent, reply=Reply(Message("assistant", ()), "end", usage, by=SONNET), cost_usd=usd)


def test_what_sub_agents_and_summaries_used_is_in_the_log_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    mine = account(path)
    mine.take(answered("a1", Usage(100_000, 10_000), 0.3))
    mine.take(answered("main", Usage(), None))
    made: dict[str, Any] = {"kind": "summary", "before": 9, "after": 1, "window": 10}
    mine.take(RoomMade(agent="a1", usage=Usage(50_000), cost_usd=0.1, **made))
    assert mine.spent.usd == pytest.approx(0.4)
    past = replay(path)
    assert past.usage == Usage(150_000, 10_000) == mine.spent.usage
    assert past.spent[SONNET] == Usage(100_000, 10_000)


def test_a_price_that_is_not_known_is_never_nothing(tmp_path: Path) -> None:
    conversation = Conversation.create(
        tmp_path / "s.jsonl", Header(id="s", cwd="/w", model="own/m", mode="default", system="S")
    )
    conversation.add_prompt(user("go"))
    conversation.add_reply(Reply(Message("assistant", (Text("x"),)), "end", Usage(1, 1), by="own/m"))
    conversation.add_reply(Reply(Message("assistant", (Text("y"),)), "end", Usage(1, 1), by=SONNET))
    assert spent_in(replay(conversation.path), prices_of(None)) == Spent(Usage(2, 2), None)


def test_a_log_of_before_is_priced_by_its_header(tmp_path: Path) -> None:
    header = Header(id="s", cwd="/w", model=SONNET, mode="default", system="S")
    conversation = Conversation.create(tmp_path / "s.jsonl", header)
    conversation.add_reply(Reply(Message("assistant", (Text("x"),)), "end", Usage(1_000_000, 0)))
    assert spent_in(replay(conversation.path), prices_of(None)) == Spent(Usage(1_000_000), 2.0)


@pytest.mark.parametrize("limits", [{}, {"tokens": "many", "usd": [1]}, {"tokens": -1, "usd": None}])
def test_a_budget_of_a_foreign_shape_is_none(tmp_path: Path, limits: dict[str, Any]) -> None:
    path = tmp_path / "s.jsonl"
    mine = account(path)
    mine._conversation.note("budget", limits=limits)
    assert account(path).budget == Budget()
