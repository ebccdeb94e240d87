"""What a team may use: the sum over its agents, and the limit that is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.engine.team.reporter import Reporter
from roocode.engine.team.spending import Account, Spent, spent_by, unheard, used_up
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.events import Answered, RoomMade
from roocode.protocol.messages import Message, Reply, Usage
from roocode.protocol.team import LEAD, Budget, Member, MemberReport, Team


def report(name: str, tokens: int = 0, cost: float | None = 0.0, seconds: float = 0.0) -> MemberReport:
    return MemberReport(name, 1, "active", tokens=tokens, cost_usd=cost, seconds=seconds)


def test_tokens_and_money_are_those_of_all_and_the_time_is_the_leads():
    spent = spent_by([report(LEAD, 10, 0.5, 60), report("alice", 5, 0.25, 40), report("bob", 1, 0.25, 30)])
    assert spent == Spent(16, 1.0, 60)


def test_an_unknown_price_is_named_and_is_no_zero():
    spent = spent_by([report(LEAD, 10, 0.5), report("alice", 5, None)])
    assert spent.unpriced == ("alice",)
    limit = used_up(Budget(cost_usd=100.0), spent)
    assert limit is not None
    assert "alice" in limit.words
    assert "not known" in limit.words
    assert used_up(Budget(tokens=16), spent) is None


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(), None),
        (Budget(tokens=101), None),
        (Budget(tokens=100), "budget of 100 tokens is used up (100 by all its agents)"),
        (Budget(cost_usd=2.01), None),
        (Budget(cost_usd=2.0), "budget of 2.00 USD is used up (2.0000 by all its agents)"),
        (Budget(seconds=61), None),
        (Budget(seconds=60), "limit of 60 seconds is reached"),
    ],
)
def test_each_part_of_a_budget_is_a_limit(budget: Budget, words: str | None):
    limit = used_up(budget, Spent(100, 2.0, 60.0))
    assert (limit.words if limit else None) == (f"the team's {words}" if words else None)


@pytest.fixture
def store(tmp_path: Path) -> FileTeamStore:
    store = FileTeamStore(tmp_path / "t")
    member = Member("alice", "alice@t", "teammate", "m", "red", str(tmp_path), "b", "in-process")
    store.create(Team("t", "lead@t", "goal", "now", "main", "0", "roocode-team/t"))
    store.add_member(member)
    return store


def test_a_member_is_heard_when_its_last_words_are_mailed():
    def record(kind: str, member: str, **detail: str) -> Record:
        return Record(1, "now", kind, "t", member, detail)

    spent = record("idle", "alice", reason="the team's budget is used up")
    mailed = record("message_written", "alice", type="idle_notification")
    other = record("message_written", "alice", type="status_update")
    assert unheard({"alice": "active", "bob": "stopped"}, []) == ("alice",)
    assert unheard({"alice": "idle"}, [mailed, spent, other]) == ("alice",)
    assert unheard({"alice": "idle"}, [spent, mailed]) == ()
    assert unheard({"alice": "idle"}, [record("idle", "alice", reason="")]) == ()
    assert unheard({"alice": "dead"}, [spent]) == ()
    begun = record("active", "alice", reason="")
    assert unheard({"alice": "idle"}, [mailed, begun]) == ("alice",), "its end is not recorded yet"
    assert unheard({"alice": "idle"}, [begun, record("idle", "alice", reason="")]) == ()


def answered(agent: str, tokens: int, cost: float | None = 0.5) -> Answered:
    reply = Reply(Message("assistant", ()), "end", Usage(tokens))
    return Answered(agent=agent, reply=reply, cost_usd=cost)


@pytest.mark.asyncio
async def test_its_own_figures_count_at_once_and_those_of_others_from_their_files(store: FileTeamStore):
    store.write_budget(Budget(tokens=100))
    store.write_report(report("alice", 60))
    lead = Reporter(store, LEAD)
    account = Account(store, lead)
    lead.take(answered(LEAD, 39))
    assert await account.reached() is None
    lead.take(answered(LEAD, 1))
    assert (await account.reached()) is not None
    await lead.close()


@pytest.mark.asyncio
async def test_others_see_what_an_agent_used_as_soon_as_it_looks_whether_there_is_more(store: FileTeamStore):
    store.write_budget(Budget(tokens=100))
    lead, alice = Reporter(store, LEAD), Reporter(store, "alice")
    lead.take(answered(LEAD, 60))
    assert await Account(store, lead).reached() is None
    alice.take(answered("alice", 40))
    assert await Account(store, alice).reached() is not None
    await lead.close()
    await alice.close()


@pytest.mark.asyncio
async def test_the_same_limit_holds_for_a_member_that_has_spent_nothing_itself(store: FileTeamStore):
    store.write_budget(Budget(cost_usd=1.0))
    store.write_report(report(LEAD, cost=1.0))
    assert (await Account(store, Reporter(store, "alice")).reached()) is not None


@pytest.mark.asyncio
async def test_without_a_budget_nothing_is_reached(store: FileTeamStore):
    store.write_report(report(LEAD, 10**9, None))
    assert await Account(store, Reporter(store, "alice")).reached() is None


@pytest.mark.asyncio
async def test_a_summary_and_a_sub_agent_count_but_their_requests_are_no_turns(store: FileTeamStore):
    reporter = Reporter(store, "alice")
    reporter.take(answered("alice", 10))
    reporter.take(answered("alice-helper", 20))
    reporter.take(
        RoomMade(agent="alice", kind="summary", before=9, after=1, window=10, usage=Usage(5), cost_usd=0.25)
    )
    said = reporter.now()
    assert (said.turns, said.tokens, said.cost_usd) == (1, 35, 1.25)
    await reporter.close()


@pytest.mark.asyncio
async def test_a_later_life_counts_on(store: FileTeamStore):
    store.write_report(report(LEAD, 70, 0.7, seconds=1000.0))
    reporter = Reporter(store, LEAD, store.report(LEAD))
    reporter.beat()
    later = store.report(LEAD)
    assert later is not None
    assert later.tokens == 70
    assert later.seconds >= 1000.0
    store.write_budget(Budget(seconds=1000))
    limit = await Account(store, Reporter(store, "alice")).reached()
    assert limit is not None
    assert "1000 seconds" in limit.words
