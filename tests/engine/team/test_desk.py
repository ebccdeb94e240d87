"""The lead's window: what happened, once each, and the members' open questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from roocode.engine.team import mail, signing
from roocode.engine.team.desk import Desk
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.open_questions import open_questions
from roocode.engine.team.permission_mail import asked_detail, give_answer
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion
from roocode.protocol.errors import HostError
from roocode.protocol.events import Event, Notice, PermissionAnswered, PermissionAsked, TeamEvent
from roocode.protocol.messages import Message
from roocode.protocol.team import PermissionRequest, PermissionResponse
from roocode.security.permissions.grants import digest
from tests.engine.team.on_disk import AT, team_store

KEY = signing.new_key()
YES = PermissionAnswer(True)


@dataclass
class Window:
    """A desk with a store, and what it has shown."""

    store: FileTeamStore
    shown: list[Event] = field(default_factory=list)

    def desk(self, **given: Any) -> Desk:
        powers = LeadsPowers(lambda _: KEY, lambda: "default", _revive)
        inbox = Inbox(self.store, "lead", _NoConversation())
        return Desk(self.store, inbox, TeamPost(self.store, "lead", powers), self.shown.append, **given)

    def asks(self, member: str, command: str) -> str:
        request = PermissionRequest(
            id=mail.new_id(),
            from_=member,
            to="lead",
            timestamp=AT,
            summary="asks",
            tool="Bash",
            input={"command": command},
            preview=command,
            layer="mode",
            digest=digest("Bash", {"command": command}, ""),
        )
        self.store.record("permission_asked", member, asked_detail(request))
        self.store.inbox("lead").deliver(request)
        return request.id

    def questions(self) -> list[str]:
        return [event.question.preview for event in self.shown if isinstance(event, PermissionAsked)]

    def closed(self) -> list[tuple[str, str]]:
        closed = [event for event in self.shown if isinstance(event, PermissionAnswered)]
        return [(event.question_id, event.answer.by) for event in closed]

    def answers(self, member: str) -> Sequence[PermissionResponse]:
        unread = self.store.inbox(member).unread(lambda letter: signing.objection(letter, KEY))
        return [letter for letter in unread if isinstance(letter, PermissionResponse)]


class _NoConversation:
    def add_prompt(self, message: Message, mail: tuple[str, ...] = ()) -> None:
        raise AssertionError("a question is no prompt")


async def _revive(name: str) -> str:
    return f"{name} is started again"


@pytest.fixture
def window(tmp_path: Path) -> Window:
    return Window(team_store(tmp_path, "alice", "bob"))


@pytest.mark.asyncio
async def test_a_question_is_shown_once_and_its_mail_is_read(window: Window):
    desk, _ = window.desk(), window.asks("alice", "make")
    while await desk.look():
        pass
    assert window.questions() == ["make"]
    assert window.store.inbox("lead").unread() == ()
    kinds = [event.kind for event in window.shown if isinstance(event, TeamEvent)]
    assert kinds == ["permission_asked", "message_read", "message_acted"]


@pytest.mark.asyncio
async def test_the_answer_is_signed_bound_to_the_question_and_given_once(window: Window):
    desk, asked = window.desk(), window.asks("alice", "make")
    await desk.look()
    question = await desk.answer(asked, YES)
    assert question is not None
    assert await desk.answer(asked, YES) is None
    assert await desk.answer("m0", YES) is None
    [answer] = window.answers("alice")
    assert (answer.in_reply_to, answer.digest, answer.decision) == (
        asked,
        digest("Bash", {"command": "make"}, ""),
        "allow",
    )
    assert window.closed() == [(asked, "person")]
    await desk.look()
    assert window.questions() == ["make"]


@pytest.mark.asyncio
async def test_a_lead_that_starts_again_puts_what_is_still_open(window: Window):
    first = window.asks("alice", "make")
    await window.desk().look()
    second = window.desk(after=window.store.events()[-1].seq)
    await second.look()
    assert window.questions() == ["make", "make"]
    assert await second.answer(first, YES) is not None


@pytest.mark.parametrize("kind", ["died", "stopped", "restarted"])
@pytest.mark.asyncio
async def test_a_question_goes_with_the_life_of_its_asker(window: Window, kind: str):
    desk, asked, other = window.desk(), window.asks("alice", "make"), window.asks("bob", "test")
    await desk.look()
    window.store.record(kind, "alice", {})
    await desk.look()
    assert window.closed() == [(asked, "policy")]
    assert await desk.answer(asked, YES) is None
    assert await desk.answer(other, YES) is not None


@pytest.mark.asyncio
async def test_that_its_asker_is_ready_closes_nothing(window: Window):
    """A fast member asks before its lead has written down that it is ready."""
    asked = window.asks("alice", "make")
    window.store.record("ready", "alice", {})
    assert [question.id for question in open_questions(window.store.events())] == [asked]


@pytest.mark.asyncio
async def test_where_nobody_can_be_asked_the_answer_is_no(window: Window):
    desk, asked = window.desk(nobody="nobody is here"), window.asks("alice", "make")
    await desk.look()
    [answer] = window.answers("alice")
    assert (answer.in_reply_to, answer.decision, answer.reason) == (asked, "deny", "nobody is here")
    assert window.closed() == [(asked, "policy")]


@pytest.mark.asyncio
async def test_an_answer_that_could_not_be_sent_can_be_given_again(window: Window):
    desk, asked = window.desk(), window.asks("alice", "make")
    await desk.look()
    inbox = window.store.root / "inboxes" / "alice"
    (inbox / "tmp").rename(inbox / "away")
    with pytest.raises(Exception, match="cannot write to the inbox of alice"):
        await desk.answer(asked, YES)
    (inbox / "away").rename(inbox / "tmp")
    assert await desk.answer(asked, YES) is not None
    assert len(window.answers("alice")) == 1


@pytest.mark.asyncio
async def test_an_answer_from_a_shell_closes_the_question_in_the_window_and_is_said(window: Window):
    desk, asked = window.desk(), window.asks("alice", "make")
    await desk.look()
    [question] = open_questions(window.store.events())
    powers = LeadsPowers(lambda _: KEY, lambda: "default", _revive)
    await give_answer(TeamPost(window.store, "lead", powers), question, YES, "from a shell")
    assert await desk.answer(asked, PermissionAnswer(False)) is None
    await desk.look()
    notes = [event.text for event in window.shown if isinstance(event, Notice)]
    assert notes == ["alice, Bash: answered already, yes, from a shell."]
    [answer] = window.answers("alice")
    assert answer.decision == "allow"


@pytest.mark.asyncio
async def test_what_a_new_rule_answers_is_not_asked_and_what_is_open_is_reviewed(window: Window):
    rules: list[str] = []

    def ruled(question: PermissionQuestion) -> str:
        return f"allowed by {question.preview}" if question.preview in rules else ""

    desk, asked = window.desk(ruled=ruled), window.asks("alice", "make")
    await desk.look()
    assert window.questions() == ["make"]
    rules.append("make")
    await desk.review()
    assert window.closed() == [(asked, "policy")]
    window.asks("bob", "make")
    await desk.look()
    assert window.questions() == ["make"]
    [answer] = window.answers("bob")
    assert (answer.decision, answer.by, answer.scope) == ("allow", "policy", "once")


@pytest.mark.asyncio
async def test_the_files_of_an_always_are_named_in_the_question(window: Window):
    desk = window.desk(stores=(("local", ".roocode/config.local.yaml"),))
    window.asks("alice", "make")
    await desk.look()
    [asked] = [event.question for event in window.shown if isinstance(event, PermissionAsked)]
    assert asked.stores == (("local", ".roocode/config.local.yaml"),)


@pytest.mark.asyncio
async def test_a_fault_between_two_questions_loses_neither(window: Window):
    faults = [HostError("the disk is full")]

    def ruled(question: PermissionQuestion) -> str:
        if question.preview == "make" and faults:
            raise faults.pop()
        return ""

    desk = window.desk(ruled=ruled)
    window.asks("alice", "make")
    asked = window.asks("bob", "ls")
    with pytest.raises(HostError):
        await desk.look()
    await desk.look()
    assert sorted(window.questions()) == ["ls", "make"]
    await desk.look()
    assert len(window.questions()) == 2
    assert await desk.answer(asked, YES) is not None
