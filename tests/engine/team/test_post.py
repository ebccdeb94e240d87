"""Sending mail in a team."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from roocode.engine.team import signing
from roocode.engine.team.mail import MailRefused
from roocode.engine.team.post import LeadsPowers, TeamPost, receivers
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.wake import WakeSocket
from roocode.protocol.errors import HostError
from roocode.protocol.team import MemberReport, PlanApprovalResponse, ShutdownRequest, TextMail
from roocode.security.isolation.secrets import Secrets
from tests.engine.team.on_disk import roster, status_mail, team_store

KEY = signing.new_key()


class Starter:
    """Notes whom it was asked to start again."""

    def __init__(self) -> None:
        self.started: list[str] = []

    async def __call__(self, name: str) -> str:
        self.started.append(name)
        return f"{name} is started again."


def leads_post(store: FileTeamStore, starter: Starter | None = None) -> TeamPost:
    powers = LeadsPowers(
        lambda name: KEY if name == "bob" else None, lambda: "acceptEdits", starter or Starter()
    )
    return TeamPost(store, "lead", powers)


def texts(store: FileTeamStore, name: str) -> list[str]:
    return [message.text for message in store.inbox(name).unread() if isinstance(message, TextMail)]


@pytest.mark.parametrize("to", ["bob", "agent-bob"])
@pytest.mark.asyncio
async def test_a_name_and_an_agent_id_reach_the_same_inbox(tmp_path: Path, to: str):
    store = team_store(tmp_path, "alice", "bob")
    held = store.member_lock("bob").hold()
    said = await TeamPost(store, "alice").send(to, "a word", "hello")
    assert said == "Delivered to bob, who reads it before its next step."
    assert texts(store, "bob") == ["hello"]
    written = store.events()[-1]
    assert (written.kind, written.member, written.detail["to"], written.detail["type"]) == (
        "message_written",
        "alice",
        "bob",
        "message",
    )
    held.release()


@pytest.mark.asyncio
async def test_a_waiting_member_is_woken_but_not_by_a_status_update(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    held = store.member_lock("bob").hold()
    socket = WakeSocket.open(store.inbox("bob").directory, {"XDG_RUNTIME_DIR": str(tmp_path)})
    store.write_report(MemberReport("bob", os.getpid(), "idle", wake_socket=str(socket.path)))
    post = TeamPost(store, "alice")
    await post.deliver(status_mail("task 1 is completed"))
    assert not await socket.wait(0.01)
    assert await post.send("bob", "a word", "hello") == "Delivered to bob."
    assert await socket.wait(10)
    await socket.close()
    held.release()


@pytest.mark.asyncio
async def test_everyone_but_the_sender(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob", "carol")
    said = await TeamPost(store, "bob").send("*", "a word", "hello")
    assert [texts(store, name) for name in ("lead", "alice", "bob", "carol")] == [
        ["hello"],
        ["hello"],
        [],
        ["hello"],
    ]
    assert len(said.splitlines()) == 3


@pytest.mark.asyncio
async def test_an_inbox_that_cannot_be_written_is_named_and_the_others_reached(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob", "carol")
    (store.inbox("carol").directory / "tmp").rmdir()
    said = await TeamPost(store, "alice").send("*", "a word", "hello")
    assert "Not sent to carol: cannot write to the inbox of carol" in said
    assert texts(store, "bob") == ["hello"]
    with pytest.raises(HostError, match="nothing was sent"):
        await TeamPost(store, "alice").send("carol", "a word", "hello")


@pytest.mark.asyncio
async def test_a_stopped_member_is_started_again_by_the_lead_alone(tmp_path: Path):
    store, starter = team_store(tmp_path, "alice", "bob"), Starter()
    assert await leads_post(store, starter).send("bob", "a word", "go on") == "bob is started again."
    assert starter.started == ["bob"]
    said = await TeamPost(store, "alice").send("bob", "a word", "and me")
    assert said == "Queued for bob, which is not running: the lead starts it again."
    assert texts(store, "bob") == ["go on", "and me"]


@pytest.mark.asyncio
async def test_a_status_update_starts_nobody(tmp_path: Path):
    store, starter = team_store(tmp_path, "bob"), Starter()
    said = await leads_post(store, starter).deliver(status_mail("task 1 is completed", sender="lead"))
    assert (said, starter.started) == ("Queued for bob, which is not running.", [])


@pytest.mark.asyncio
async def test_the_lead_hears_of_mail_to_a_member_that_is_not_running(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    socket = WakeSocket.open(store.inbox("lead").directory, {"XDG_RUNTIME_DIR": str(tmp_path)})
    store.write_report(MemberReport("lead", os.getpid(), "active", wake_socket=str(socket.path)))
    await TeamPost(store, "alice").send("bob", "a word", "hello")
    assert await socket.wait(10)
    await socket.close()


@pytest.mark.asyncio
async def test_without_a_lead_mail_to_it_is_queued(tmp_path: Path):
    store = team_store(tmp_path, "alice")
    said = await TeamPost(store, "alice").send("lead", "a word", "hello")
    assert said == "Queued for lead: no lead is running; `roocode team resume` brings it back."
    assert texts(store, "lead") == ["hello"]


@pytest.mark.asyncio
async def test_what_only_the_lead_may_say_is_signed(tmp_path: Path):
    store = team_store(tmp_path, "alice", "bob")
    post = leads_post(store)
    await post.send("bob", "", {"type": "shutdown_request"})
    await post.send("bob", "", {"type": "plan_approval_response", "approve": True, "inReplyTo": "m1"})
    request, approval = store.inbox("bob").unread(lambda message: signing.objection(message, KEY))
    assert isinstance(request, ShutdownRequest)
    assert isinstance(approval, PlanApprovalResponse)
    assert approval.permission_mode == "acceptEdits"
    with pytest.raises(MailRefused, match="no key to sign a shutdown_request to alice"):
        await post.send("alice", "", {"type": "shutdown_request"})
    assert store.inbox("alice").unread() == ()


def test_who_a_name_stands_for():
    team = roster("alice", "bob")
    assert receivers(team, "alice", "lead") == ("lead",)
    assert receivers(team, "alice", "agent-lead") == ("lead",)
    assert receivers(team, "lead", "*") == ("alice", "bob")
    for to, words in (
        ("mallory", "no 'mallory' in the team: its names are lead, bob"),
        ("alice", "That is you"),
        ("agent-alice", "That is you"),
    ):
        with pytest.raises(MailRefused, match=words):
            receivers(team, "alice", to)
    with pytest.raises(MailRefused, match="nobody else in the team yet"):
        receivers(roster(), "lead", "*")
    with pytest.raises(MailRefused, match="its names are none yet"):
        receivers(roster(), "lead", "alice")


@pytest.mark.asyncio
async def test_no_secret_leaves_in_any_message_and_what_is_signed_stays_signed(tmp_path: Path):
    token, mask = "ghp_Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8", Secrets("salt")
    store = FileTeamStore(team_store(tmp_path, "alice", "bob").root, mask)
    refused = ShutdownRequest(
        id="m9", from_="lead", to="bob", timestamp="t", summary=f"stop {token}", reason=f"leaked {token}"
    )
    await TeamPost(store, "alice").send("bob", f"found {token}", f"It is {token}.")
    await leads_post(store).deliver(refused)
    no = replace(refused, id="m10")
    await leads_post(store).deliver_if(lambda _: None, no, "note", "bob", {"why": f"leaked {token}"})
    assert all(token not in path.read_text() for path in store.root.rglob("*") if path.is_file())
    words, stop, last = store.inbox("bob").unread()
    assert isinstance(words, TextMail)
    assert (words.text, words.summary) == (f"It is {mask(token)}.", f"found {mask(token)}")
    assert signing.objection(stop, KEY) == ""
    assert signing.objection(last, KEY) == ""
