"""Questions: in order, each answered once, and never by keys that were typed before they were seen."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from roocode.interaction.ui.terminal.choices import Choice, Picking
from roocode.interaction.ui.terminal.choices import bar as choice_bar
from roocode.interaction.ui.terminal.dialog import Dialog
from roocode.interaction.ui.terminal.questions import answer_of, bar
from roocode.interaction.ui.terminal.quiet import QUIET_S, Quiet
from roocode.interaction.ui.terminal.rule_list import RuleVerdict
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer
from tests.interaction.ui.samples import question

PICK = Choice("Which one?", (("Alpha", "the first"), ("Beta", "")), header="Pick")
PICK_SOME = Choice("Which ones?", (("A", ""), ("B", ""), ("C", "")), multiple=True)


@dataclass
class Screen:
    """A dialog with what it says and gives, and a clock that the test moves."""

    now: float = 100.0
    said: list[str] = field(default_factory=list)
    given: list[AnswerPermission] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.answered = asyncio.Event()
        self.written: list[str | None] = []
        self.dialog = Dialog(
            lambda text: self.said.append(unstyled(text)),
            self._take,
            lambda: self.now,
            check=lambda _question, _about, _text: RuleVerdict(),
            write=self.written.append,
        )

    def _take(self, command: AnswerPermission) -> None:
        self.given.append(command)
        self.answered.set()

    async def answer(self, key: str) -> None:
        """A key alone, until it is taken for an answer."""
        self.answered.clear()
        self.dialog.pressed()
        self.dialog.hold(key)
        async with asyncio.timeout(20):
            await self.answered.wait()

    def see(self) -> None:
        """What was said is painted, and the person has looked at it."""
        self.dialog.painted()
        self.now += QUIET_S


def test_keys_count_after_a_quiet_time_that_begins_when_it_is_painted():
    quiet = Quiet()
    quiet.begin()
    assert not quiet.is_over(10**9)
    quiet.pressed(5.0)
    quiet.painted(10.0)
    assert not quiet.is_over(10.0 + QUIET_S - 0.01)
    assert quiet.is_over(10.0 + QUIET_S)


def test_every_key_in_the_quiet_time_begins_it_anew():
    quiet = Quiet()
    quiet.painted(0.0)
    for moment in (0.2, 0.5, 0.9, 1.3):
        quiet.pressed(moment)
        assert not quiet.is_over(moment + QUIET_S - 0.01)
    assert quiet.is_over(1.3 + QUIET_S)
    quiet.pressed(3.0)
    assert quiet.is_over(3.0)


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("y", PermissionAnswer(True, "once")),
        ("s", PermissionAnswer(True, "session")),
        ("n", PermissionAnswer(False, "once", "the person said no")),
    ],
)
def test_three_keys_answer_at_once(key: str, answer: PermissionAnswer):
    assert answer_of(key) == answer


@pytest.mark.parametrize("key", ["Y", "", "x", "a", "t", "\r", " ", "1"])
def test_no_other_key_does(key: str):
    assert answer_of(key) is None


def test_always_is_offered_only_with_a_rule_and_a_file():
    def keys(**given: Any) -> str:
        return unstyled(bar([question(**given)], 1, 200, 0.0))

    assert "[a]lways: Bash(make test) " in keys()
    assert "[a]lways: 2 rules " in keys(proposals=("Bash(a)", "Bash(b)"))
    assert "[a]lways" not in keys(proposals=())
    screen = Screen()
    screen.dialog.ask(question(proposals=()))
    screen.see()
    screen.dialog.answer("a")
    assert screen.dialog.rules is None


def test_several_questions_come_one_after_the_other():
    screen = Screen()
    for identifier in ("q1", "q2", "q3"):
        screen.dialog.ask(question(identifier, command=f"make {identifier}"))
    assert len(screen.said) == 1
    assert screen.dialog.bar == ""
    screen.see()
    assert "2 more behind" in screen.dialog.bar
    screen.dialog.answer("y")
    assert not screen.dialog.is_answerable, "the next one has to be seen first"
    screen.see()
    screen.dialog.drop(lambda each: each.id == "q3")
    assert screen.dialog.is_answerable
    screen.dialog.answer("n")
    assert [(each.question_id, each.answer.allowed) for each in screen.given] == [("q1", True), ("q2", False)]
    assert not screen.dialog.is_open
    assert len(screen.said) == 2


def test_a_question_that_is_closed_elsewhere_makes_room():
    screen = Screen()
    screen.dialog.ask(question("q1", "alice"))
    screen.dialog.ask(question("q2", "bob", command="make all"))
    screen.see()
    screen.dialog.drop(lambda each: each.agent == "alice")
    assert "bob wants" in screen.said[-1]
    assert not screen.dialog.is_answerable
    screen.dialog.refuse()
    assert [each.question_id for each in screen.given] == ["q2"]


@pytest.mark.asyncio
async def test_a_letter_alone_is_an_answer():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    await screen.answer("y")
    assert screen.given == [AnswerPermission("q1", PermissionAnswer(True, "once"))]


@pytest.mark.asyncio
async def test_letters_in_a_row_are_words():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    assert screen.dialog.pressed() == ""
    screen.dialog.hold("s")
    assert screen.dialog.pressed() == "s", "it goes to the input, with what follows"
    assert not screen.dialog.is_answerable
    screen.now += QUIET_S
    assert screen.dialog.is_answerable
    await screen.answer("n")
    assert [each.answer.allowed for each in screen.given] == [False]


@pytest.mark.asyncio
async def test_a_held_letter_is_no_answer_to_the_next_question():
    screen = Screen()
    screen.dialog.ask(question("q1"))
    screen.dialog.ask(question("q2"))
    screen.see()
    screen.dialog.hold("y")
    screen.dialog.drop(lambda each: each.id == "q1")
    screen.see()
    await screen.answer("n")
    assert [(each.question_id, each.answer.allowed) for each in screen.given] == [("q2", False)]


@pytest.mark.asyncio
async def test_a_choice_waits_behind_questions_of_permission():
    screen = Screen()
    screen.dialog.ask(question())
    choosing = asyncio.create_task(screen.dialog.choose(PICK))
    await asyncio.sleep(0)
    assert not screen.dialog.is_choice
    screen.see()
    screen.dialog.answer("y")
    assert screen.dialog.is_choice
    assert screen.said[-1].split("\n")[1:] == ["? Pick: Which one?", "  1. Alpha the first", "  2. Beta"]
    screen.see()
    screen.dialog.answer("9")
    screen.dialog.answer("2")
    assert await choosing == "Beta"
    assert not screen.dialog.is_open


@pytest.mark.asyncio
async def test_a_choice_takes_words_or_nothing_at_all():
    screen = Screen()
    choosing = asyncio.create_task(screen.dialog.choose(PICK))
    await asyncio.sleep(0)
    assert not screen.dialog.enter("  ")
    assert screen.dialog.enter(" my own words ")
    assert await choosing == "my own words"
    choosing = asyncio.create_task(screen.dialog.choose(PICK))
    await asyncio.sleep(0)
    screen.dialog.refuse()
    assert await choosing is None


@pytest.mark.asyncio
async def test_a_cancelled_choice_leaves_the_screen():
    screen = Screen()
    choosing = asyncio.create_task(screen.dialog.choose(PICK))
    await asyncio.sleep(0)
    assert screen.dialog.is_open
    choosing.cancel()
    await asyncio.wait([choosing])
    assert not screen.dialog.is_open


def test_several_options_are_picked_and_sent_together():
    picking = Picking(PICK_SOME)
    assert picking.enter("") is None
    assert [picking.press(key) for key in "3112"] == [None] * 4
    assert "picks (2 3 so far), Enter sends" in choice_bar(picking)
    assert picking.enter("") == "B, C"
    assert picking.enter("and more") == "B, C, and more"


@pytest.mark.asyncio
async def test_enter_right_behind_a_lone_letter_makes_it_the_answer_and_words_never_do():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    screen.dialog.pressed()
    screen.dialog.hold("y")
    assert screen.dialog.pressed() == "y"
    assert not screen.dialog.confirms("ye")
    assert screen.dialog.confirms("y")
    screen.dialog.answer("y")
    assert [command.answer.allowed for command in screen.given] == [True]
    assert screen.dialog.pressed() == ""
    assert not screen.dialog.confirms("y")


def test_equal_questions_are_answered_together_and_one_that_joins_has_to_be_seen():
    screen = Screen()
    screen.dialog.ask(question("q1", "alice"))
    screen.dialog.ask(question("q2", "bob", command="make all"))
    screen.see()
    screen.dialog.ask(question("q3", "carol"))
    assert screen.said[-1] == "+ carol asks the same: Bash(make test)"
    assert not screen.dialog.is_answerable
    screen.see()
    assert "Allow all 2?" in unstyled(screen.dialog.bar)
    screen.dialog.answer("y")
    assert [each.question_id for each in screen.given] == ["q1", "q3"]
    assert "bob wants to use" in screen.said[-1]


def test_the_rest_of_equal_questions_stays_when_one_is_closed():
    screen = Screen()
    for identifier, agent in (("q1", "alice"), ("q2", "bob")):
        screen.dialog.ask(question(identifier, agent))
    screen.see()
    screen.dialog.drop(lambda each: each.agent == "alice")
    screen.dialog.answer("n")
    assert [each.question_id for each in screen.given] == ["q2"]


def test_an_equal_question_of_the_same_agent_has_to_be_seen_before_it_is_answered():
    screen = Screen()
    screen.dialog.ask(question("q1"))
    screen.dialog.ask(question("q2"))
    screen.see()
    screen.dialog.answer("y")
    assert [each.question_id for each in screen.given] == ["q1"]
    assert len(screen.said) == 2
    assert not screen.dialog.is_answerable


@pytest.mark.parametrize("key", ["a", "t"])
def test_what_an_answer_is_made_in_closes_with_its_question_though_an_equal_one_follows(key: str):
    screen = Screen()
    screen.dialog.ask(question("q1"))
    screen.dialog.ask(question("q2"))
    screen.see()
    screen.dialog.answer(key)
    screen.dialog.drop(lambda each: each.id == "q1")
    assert (screen.dialog.rules, screen.dialog.takes_words) == (None, False)
    assert not screen.dialog.is_answerable


def test_always_opens_the_rules_and_only_a_later_enter_in_an_empty_input_stores_them():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    screen.dialog.answer("a")
    assert screen.dialog.is_list
    assert "Bash(make test)" in screen.dialog.bar
    screen.dialog.enter("")
    assert screen.given == [], "the list has to be seen first"
    screen.now += QUIET_S
    screen.dialog.enter("words to the lead")
    assert screen.given == []
    screen.dialog.enter("")
    [command] = screen.given
    assert command.answer == PermissionAnswer(True, "always", rules=("Bash(make test)",))


def test_escape_leads_back_from_the_rules_to_the_question():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    screen.dialog.answer("a")
    screen.now += QUIET_S
    screen.dialog.answer("e")
    assert (screen.dialog.takes_words, screen.written) == (True, ["Bash(make test)"])
    screen.dialog.enter("Bash(make t*)")
    assert (screen.dialog.is_list, screen.written[-1]) == (True, None)
    screen.dialog.refuse()
    assert screen.given == []
    assert not screen.dialog.is_list
    screen.now += QUIET_S
    screen.dialog.refuse()
    assert [each.answer.allowed for each in screen.given] == [False]


def test_a_no_takes_words_for_the_model():
    screen = Screen()
    screen.dialog.ask(question())
    screen.see()
    screen.dialog.answer("t")
    assert screen.dialog.takes_words
    assert screen.dialog.enter(" use tox instead ")
    assert screen.given[0].answer == PermissionAnswer(False, "once", "use tox instead")
    screen.dialog.ask(question("q2"))
    screen.see()
    screen.dialog.answer("t")
    screen.dialog.refuse()
    assert screen.dialog.is_open
    screen.dialog.answer("t")
    screen.dialog.enter("")
    assert screen.given[1].answer.reason == "the person said no"


def test_the_words_of_a_no_begin_in_an_empty_input_which_is_given_back():
    screen = Screen()
    screen.dialog.ask(question("q1"))
    screen.see()
    screen.dialog.answer("t")
    assert screen.written == [""]
    screen.dialog.refuse()
    assert screen.written == ["", None]
    screen.dialog.answer("t")
    screen.dialog.enter("use tox")
    assert screen.written == ["", None] * 2
    screen.dialog.ask(question("q2"))
    screen.see()
    screen.dialog.answer("t")
    screen.dialog.drop(lambda _: True)
    assert screen.written == ["", None] * 3


def test_a_question_that_goes_takes_its_rules_along():
    screen = Screen()
    screen.dialog.ask(question("q1", "alice"))
    screen.dialog.ask(question("q2", "bob", command="make all"))
    screen.see()
    screen.dialog.answer("a")
    screen.dialog.answer("e")
    screen.dialog.drop(lambda each: each.agent == "alice")
    assert screen.written[-1] is None
    assert screen.dialog.rules is None
    screen.see()
    screen.dialog.answer("y")
    assert [each.question_id for each in screen.given] == ["q2"]
