"""A member's question by mail: only a signed answer to exactly it counts, the first one, and in time."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio

from roocode.engine.team import mail, signing
from roocode.engine.team.inbox import Inbox
from roocode.engine.team.open_questions import QuestionClosed, open_questions, what_became
from roocode.engine.team.permission_mail import NOBODY, AskByMail, Patience, give_answer, response_to
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.reporter import Reporter
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.wake import WakeSocket
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion, QuestionPart, RuleProposal
from roocode.protocol.errors import UserError
from roocode.protocol.messages import Message
from roocode.protocol.team import PermissionResponse, TeamMessage
from roocode.security.permissions.grants import digest
from roocode.security.ports import BoundAnswer
from roocode.security.sandbox.process import until
from tests.engine.team.on_disk import team_store

KEY, OTHER_KEY = signing.new_key(), signing.new_key()
YES = PermissionAnswer(True)
FOREVER = Patience(without_lead_s=1e9)
ROOT = "/repo/.roocode/worktrees/crew/alice"


def question(command: str = "make", identifier: str = "q1") -> PermissionQuestion:
    return PermissionQuestion(
        id=identifier,
        agent="alice",
        tool="Bash",
        input={"command": command},
        preview=command,
        reason="runs code",
        layer="mode",
        digest=digest("Bash", {"command": command}, ROOT),
        proposals=(RuleProposal(f"Bash({command})", command, (f"Bash({command})",)),),
        level="danger",
        root=ROOT,
        directory=ROOT,
        parts=(QuestionPart(command, why="runs code"),),
        warnings=("mind this",),
    )


class _NoConversation:
    def add_prompt(self, message: Message, mail: tuple[str, ...] = ()) -> None:
        raise AssertionError("an answer is no prompt")


async def _revive(name: str) -> str:
    return f"{name} is started again"


@dataclass
class Team:
    """alice, who asks, and the lead's post, which can sign to her."""

    store: FileTeamStore
    wake: WakeSocket

    @property
    def post(self) -> TeamPost:
        return TeamPost(self.store, "lead", LeadsPowers(lambda _: KEY, lambda: "default", _revive))

    def asks(self, asked: PermissionQuestion, patience: Patience = FOREVER) -> asyncio.Task[BoundAnswer]:
        reporter = Reporter(self.store, "alice")
        reporter.say("active", wake_socket=str(self.wake.path))
        inbox = Inbox(self.store, "alice", _NoConversation(), key=KEY)
        asker = AskByMail(
            self.store, "alice", TeamPost(self.store, "alice"), inbox, self.wake, reporter, patience
        )
        return asyncio.create_task(asker.ask(asked))

    async def shown(self) -> PermissionQuestion:
        """The question as a window or a shell sees it."""
        assert await until(lambda: bool(open_questions(self.store.events())), 20)
        return open_questions(self.store.events())[0]

    def put(self, letter: TeamMessage) -> None:
        self.store.inbox("alice").deliver(letter)

    def refusals(self) -> list[str]:
        return [r.detail["reason"] for r in self.store.events() if r.kind == "message_refused"]


@pytest.fixture
def runtime() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rw-", dir="/tmp") as folder:
        yield Path(folder)


@pytest_asyncio.fixture
async def team(tmp_path: Path, runtime: Path) -> AsyncIterator[Team]:
    store = team_store(tmp_path, "alice", "bob")
    wake = WakeSocket.open(store.inbox("alice").directory, {"XDG_RUNTIME_DIR": str(runtime)})
    with store.lead_lock().hold():
        yield Team(store, wake)
    await wake.close()


@pytest.mark.asyncio
async def test_the_window_sees_all_of_the_question_and_the_asker_hears_the_answer(team: Team):
    asked = question()
    waiting = team.asks(asked)
    shown = await team.shown()
    assert replace(shown, asked_at="") == replace(asked, stores=())
    assert shown.asked_at
    await give_answer(team.post, shown, PermissionAnswer(False, reason="use tox"), "from a shell")
    bound = await waiting
    assert (bound.question_id, bound.digest) == (asked.id, asked.digest)
    assert bound.answer == PermissionAnswer(False, reason="use tox")


@pytest.mark.asyncio
async def test_of_two_answers_the_first_counts_and_the_other_is_told(team: Team):
    waiting = team.asks(question())
    shown = await team.shown()
    outcomes = await asyncio.gather(
        *(give_answer(team.post, shown, replace(YES, allowed=n % 2 == 0), f"number {n}") for n in range(8)),
        return_exceptions=True,
    )
    assert [outcome for outcome in outcomes if outcome is None] == [None]
    told = [outcome for outcome in outcomes if isinstance(outcome, QuestionClosed)]
    assert len(told) == 7
    first = outcomes.index(None)
    assert all(f"answered already, {'no' if first % 2 else 'yes'}, number {first}" in e.what for e in told)
    assert (await waiting).answer.allowed == (first % 2 == 0)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({}, OTHER_KEY),
        ({"in_reply_to": "q0"}, KEY),
        ({"digest": "another"}, KEY),
        ({"from_": "bob"}, KEY),
    ],
    ids=["forged", "to another question", "to another call", "from a teammate"],
)
@pytest.mark.asyncio
async def test_no_other_answer_counts(team: Team, change: dict[str, str], key: bytes):
    """P19, P32: an answer is bound to the question's id and digest, and to the asker's key."""
    waiting = team.asks(question())
    shown = await team.shown()
    wrong = replace(response_to(shown, YES), **change)
    team.put(signing.sign(wrong, key))
    await give_answer(team.post, shown, PermissionAnswer(False), "from a shell")
    assert not (await waiting).answer.allowed


@pytest.mark.asyncio
async def test_an_answer_that_was_changed_or_has_no_signature_is_refused_and_recorded(team: Team):
    waiting = team.asks(question())
    shown = await team.shown()
    no = signing.sign(response_to(shown, PermissionAnswer(False)), KEY)
    team.put(replace(no, decision="allow"))
    team.put(replace(no, id=mail.new_id(), rules=("Bash",), stored="x", scope="always"))
    team.put(replace(response_to(shown, YES)))
    assert await until(lambda: len(team.refusals()) == 3, 20)
    assert not waiting.done()
    await give_answer(team.post, shown, PermissionAnswer(False), "from a shell")
    assert not (await waiting).answer.allowed


@pytest.mark.asyncio
async def test_an_answer_serves_once(team: Team):
    """Replayed for the same call later, or kept from before, it answers nothing."""
    first = team.asks(question())
    letter = signing.sign(response_to(await team.shown(), YES), KEY)
    team.put(letter)
    assert (await first).answer.allowed
    second = team.asks(question(identifier="q2"))
    shown = await team.shown()
    team.put(letter)
    team.put(replace(letter, id=mail.new_id()))
    await give_answer(team.post, shown, PermissionAnswer(False), "from a shell")
    assert not (await second).answer.allowed
    with pytest.raises(QuestionClosed, match="answered already"):
        await give_answer(team.post, shown, YES, "from a shell")


@pytest.mark.asyncio
async def test_nobody_in_time_is_a_no_that_says_so(team: Team):
    bound = await team.asks(question(), Patience(1e9, ask_timeout_s=0.05))
    assert (bound.answer.allowed, bound.answer.by) == (False, "policy")
    assert "nobody answered within" in bound.answer.reason
    assert open_questions(team.store.events()) == ()
    assert "nobody answered" in what_became(team.store.events(), "q1")
    with pytest.raises(QuestionClosed, match="nobody answered"):
        await give_answer(team.post, question(), YES, "from a shell")
    assert team.store.inbox("alice").unread() == ()


@pytest.mark.asyncio
async def test_without_a_limit_it_waits_as_long_as_a_lead_lives(tmp_path: Path, runtime: Path):
    store = team_store(tmp_path, "alice")
    wake = WakeSocket.open(store.inbox("alice").directory, {"XDG_RUNTIME_DIR": str(runtime)})
    bound = await Team(store, wake).asks(question(), Patience(0.05))
    await wake.close()
    assert bound.answer == PermissionAnswer(False, reason=NOBODY, by="policy")


@pytest.mark.asyncio
async def test_what_is_not_what_would_run_can_only_be_denied(team: Team):
    """A record that somebody wrote over: its digest is that of another command."""
    asked = replace(question("rm -rf x"), preview="make", input={"command": "make"})
    waiting = team.asks(asked)
    shown = await team.shown()
    assert "not what would run" in shown.warnings[0]
    assert shown.proposals == ()
    with pytest.raises(UserError, match="only be denied"):
        await give_answer(team.post, shown, YES, "from a shell")
    await give_answer(team.post, shown, PermissionAnswer(False), "from a shell")
    assert not (await waiting).answer.allowed


@pytest.mark.asyncio
async def test_rules_that_the_lead_has_stored_come_with_the_answer(team: Team):
    waiting = team.asks(question())
    always = PermissionAnswer(True, "always", rules=("Bash(make *)",), stored="config.local.yaml")
    await give_answer(team.post, await team.shown(), always, "from the lead's window")
    assert (await waiting).answer == always


@pytest.mark.asyncio
async def test_rules_that_nobody_stored_are_for_the_session(team: Team):
    waiting = team.asks(question())
    always = PermissionAnswer(True, "always", rules=("Bash(make *)",))
    await give_answer(team.post, await team.shown(), always, "from the lead's window")
    assert (await waiting).answer == PermissionAnswer(True, "session")


def test_the_signature_covers_every_field():
    letter = signing.sign(response_to(question(), YES), KEY)
    for field, value in (("rules", ("Bash",)), ("stored", "x"), ("by", "policy"), ("reason", "r")):
        changed: PermissionResponse = replace(letter, **{field: value})
        assert signing.objection(changed, KEY) == "a permission_response with a forged signature"
