"""What is being asked at the moment: questions of permission first, then the model's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from roocode.interaction.ui.terminal import choices, question_text, questions
from roocode.interaction.ui.terminal.choices import Choice, Picking
from roocode.interaction.ui.terminal.questions import Questions
from roocode.interaction.ui.terminal.quiet import Quiet
from roocode.interaction.ui.terminal.rule_list import RuleCheck, RuleList, unchecked
from roocode.interaction.ui.terminal.styles import RED, RESET, REVERSE
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion

LONE_S = 0.2
DEFAULT_WIDTH = 80


class Dialog:
    """One question at a time, whose text goes to `say` and whose answer to `give`; `clock` gives seconds.

    It answers to keys once it has been painted and the quiet time after that is over; and then only to one
    that no other follows within LONE_S seconds: letters that come in a row are words for the input. `a`
    opens the rules of an "always", `t` takes words for a no; `write` lends the input then, with a text in it,
    and None gives it back. `check` judges a rule that the person wrote.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        give: Callable[[AnswerPermission], None],
        clock: Callable[[], float] = time.monotonic,
        *,
        width: Callable[[], int] = lambda: DEFAULT_WIDTH,
        check: RuleCheck = unchecked,
        write: Callable[[str | None], None] = lambda _text: None,
    ) -> None:
        self._say = say
        self._give = give
        self._clock = clock
        self._width = width
        self._check = check
        self._write = write
        self._quiet = Quiet()
        self._questions = Questions()
        self._picking: tuple[Picking, asyncio.Future[str | None]] | None = None
        self._held: tuple[str, asyncio.TimerHandle] | None = None
        self._overtaken = ""
        self._rules: RuleList | None = None
        self._telling = False

    @property
    def is_open(self) -> bool:
        """Whether something is asked."""
        return self._questions.current is not None or self._picking is not None

    @property
    def is_answerable(self) -> bool:
        """Whether keys answer it by now."""
        return self.is_open and self._quiet.is_over(self._clock())

    @property
    def is_choice(self) -> bool:
        """Whether it is one of the model's own, with numbers and words for an answer."""
        return self._questions.current is None and self._picking is not None

    @property
    def is_list(self) -> bool:
        """Whether the rules of an "always" are shown, for keys."""
        return self._rules is not None and not self._rules.editing

    @property
    def rules(self) -> RuleList | None:
        """The rules of an "always" that is being made."""
        return self._rules

    @property
    def is_telling(self) -> bool:
        """Whether the words of a no are being written."""
        return self._telling

    @property
    def takes_words(self) -> bool:
        """Whether the input is lent to it, for a rule or the words of a no."""
        return self._telling or (self._rules is not None and self._rules.editing)

    @property
    def quiet_left_s(self) -> float | None:
        """Seconds until keys count; None where nothing is asked or it is not painted yet."""
        if not self.is_open or self._quiet.until is None:
            return None
        return max(self._quiet.until - self._clock(), 0.0)

    @property
    def bar(self) -> str:
        """The lines with the keys; empty while they do not count."""
        if self._rules is not None:
            return self._rules.shown(self._width(), with_keys=self.is_answerable)
        if self._telling:
            head = f"{RED}{REVERSE} No. {RESET}"
            words = ["What should it do instead?", "Enter sends", "Esc back"]
            return "\n".join(questions.in_rows(head, 5, words, self._width()))
        if not self.is_answerable:
            return ""
        if asked := self._questions.asked:
            return questions.bar(asked, len(self._questions.waiting), self._width(), time.time())
        return choices.bar(self._picking[0]) if self._picking else ""

    def ask(self, question: PermissionQuestion) -> None:
        """Queues a question of permission; one that looks like another is answered with it."""
        if not self._questions.add(question):
            return
        if len(self._questions.asked) > 1:
            self._say(question_text.joined(question, self._width()))
            self._quiet.begin()
        else:
            self._begin()

    def drop(self, unwanted: Callable[[PermissionQuestion], bool]) -> None:
        """Closes questions of permission that nobody need answer any more."""
        was = {question.id for question in self._questions.asked}
        self._questions.drop(unwanted)
        now = self._questions.current
        if was and (now is None or now.id not in was):
            self._close_list()
            if self.is_open:
                self._begin()

    async def choose(self, choice: Choice) -> str | None:
        """Asks one of the model's own; None when the person would not answer."""
        answered: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picking = (Picking(choice), answered)
        if self.is_choice:
            self._begin()
        try:
            return await answered
        finally:
            self._picking = None

    def painted(self) -> None:
        """What was said is on the screen."""
        self._quiet.painted(self._clock())

    def pressed(self) -> str:
        """Some key was pressed; returns the letter before it that was no answer then, if there is one."""
        self._quiet.pressed(self._clock())
        self._overtaken = ""
        if self._held is None:
            return ""
        (self._overtaken, timer), self._held = self._held, None
        timer.cancel()
        self.typed()
        return self._overtaken

    def typed(self) -> None:
        """The person writes words: the quiet time begins again."""
        self._quiet.begin()
        self._quiet.painted(self._clock())

    def hold(self, key: str) -> None:
        """A key that is the answer if no other follows at once."""
        self._held = (key, asyncio.get_running_loop().call_later(LONE_S, self._release))

    def answer(self, key: str) -> None:
        """A key that is the answer, if it is one at all, or opens what the answer is made in."""
        if self.is_choice and self._picking is not None:
            if (picked := self._picking[0].press(key)) is not None:
                self._settle(picked)
        elif self._rules is not None:
            self._press(self._rules, key)
        elif (question := self._questions.current) is not None:
            self._answer(question, key)

    def confirms(self, words: str) -> bool:
        """Whether Enter makes these words the answer: a letter right before it, alone in the input."""
        return bool(self._overtaken) and words == self._overtaken

    def enter(self, words: str) -> bool:
        """Enter with these words in the input; True where they were taken for an answer.

        Of the rules: only where no words are there, so that a line that is being written stores nothing.
        """
        if self._telling:
            self._send(PermissionAnswer(False, "once", words.strip() or "the person said no"))
            return True
        if self._rules is not None:
            return self._enter_rules(self._rules, words)
        answer = self._picking[0].enter(words) if self._picking else None
        if answer is None:
            return False
        self._settle(answer)
        return True

    def refuse(self) -> None:
        """No, or no answer; back to the question where rules or words are being written."""
        if self._rules is not None and self._rules.editing:
            self._rules.leave()
            self._write(None)
        elif self._rules is not None or self._telling:
            self._close_list()
            self.typed()
        elif self.is_choice:
            self._settle(None)
        else:
            self.answer("n")

    def _answer(self, question: PermissionQuestion, key: str) -> None:
        if key == "a" and question.proposals and question.stores:
            self._rules = RuleList(question, self._check)
            self.typed()
        elif key == "t":
            self._telling = True
            self._write("")
        elif answer := questions.answer_of(key):
            self._send(answer)

    def _press(self, rules: RuleList, key: str) -> None:
        rules.press(key)
        if rules.editing:
            self._write(rules.lines[rules.at].text)

    def _enter_rules(self, rules: RuleList, words: str) -> bool:
        if rules.editing:
            if rules.write(words):
                self._write(None)
                self.typed()
        elif not words and self.is_answerable:
            if answer := rules.enter():
                self._send(answer)
            else:
                self.typed()
        return False

    def _send(self, answer: PermissionAnswer) -> None:
        """Answers all that is asked now."""
        asked = [question.id for question in self._questions.asked]
        self.drop(lambda question: question.id in asked)
        for identifier in asked:
            self._give(AnswerPermission(identifier, answer))

    def _close_list(self) -> None:
        if self.takes_words:
            self._write(None)
        self._rules, self._telling = None, False

    def _release(self) -> None:
        if self._held is not None:
            (key, _), self._held = self._held, None
            self.answer(key)

    def _begin(self) -> None:
        self._quiet.begin()
        if self._held is not None:
            self._held[1].cancel()
            self._held = None
        if asked := self._questions.asked:
            self._say(question_text.details(asked, self._width()))
        elif self._picking is not None:
            self._say(choices.details(self._picking[0].choice))

    def _settle(self, answer: str | None) -> None:
        if self._picking is not None and not self._picking[1].done():
            self._picking[1].set_result(answer)
