"""What is being asked at the moment: questions of permission first, then the model's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from roocode.interaction.ui.terminal import choices, questions
from roocode.interaction.ui.terminal.choices import Choice, Picking
from roocode.interaction.ui.terminal.questions import Questions
from roocode.interaction.ui.terminal.quiet import Quiet
from roocode.protocol.commands import AnswerPermission
from roocode.protocol.decisions import PermissionQuestion

LONE_S = 0.2


class Dialog:
    """One question at a time, whose text goes to `say` and whose answer to `give`; `clock` gives seconds.

    It answers to keys once it has been painted and the quiet time after that is over; and then only to one
    that no other follows within LONE_S seconds: letters that come in a row are words for the input.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        give: Callable[[AnswerPermission], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say = say
        self._give = give
        self._clock = clock
        self._quiet = Quiet()
        self._questions = Questions()
        self._picking: tuple[Picking, asyncio.Future[str | None]] | None = None
        self._held: tuple[str, asyncio.TimerHandle] | None = None
        self._overtaken = ""

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
    def quiet_left_s(self) -> float | None:
        """Seconds until keys count; None where nothing is asked or it is not painted yet."""
        if not self.is_open or self._quiet.until is None:
            return None
        return max(self._quiet.until - self._clock(), 0.0)

    @property
    def bar(self) -> str:
        """The line with the keys; empty while they do not count."""
        if not self.is_answerable:
            return ""
        if question := self._questions.current:
            return questions.bar(question, len(self._questions.waiting))
        return choices.bar(self._picking[0]) if self._picking else ""

    def ask(self, question: PermissionQuestion) -> None:
        """Queues a question of permission."""
        if self._questions.add(question):
            self._begin()

    def drop(self, unwanted: Callable[[PermissionQuestion], bool]) -> None:
        """Closes questions of permission that nobody need answer any more."""
        was = self._questions.current
        self._questions.drop(unwanted)
        if self._questions.current is not was and self.is_open:
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
        """A key that is the answer, if it is one at all."""
        if self.is_choice and self._picking is not None:
            if (picked := self._picking[0].press(key)) is not None:
                self._settle(picked)
        elif command := self._questions.answer(key):
            self.drop(lambda question: question.id == command.question_id)
            self._give(command)

    def confirm(self, words: str) -> bool:
        """Enter right behind a letter that stands alone in the input: the letter is the answer after all."""
        if not self._overtaken or words != self._overtaken:
            return False
        self.answer(words)
        return True

    def enter(self, words: str) -> bool:
        """Enter on one of the model's own, with these words written; True where that was an answer."""
        answer = self._picking[0].enter(words) if self._picking else None
        if answer is None:
            return False
        self._settle(answer)
        return True

    def refuse(self) -> None:
        """No, or no answer."""
        if self.is_choice:
            self._settle(None)
        else:
            self.answer("n")

    def _release(self) -> None:
        if self._held is not None:
            (key, _), self._held = self._held, None
            self.answer(key)

    def _begin(self) -> None:
        self._quiet.begin()
        if self._held is not None:
            self._held[1].cancel()
            self._held = None
        if question := self._questions.current:
            self._say(questions.details(question))
        elif self._picking is not None:
            self._say(choices.details(self._picking[0].choice))

    def _settle(self, answer: str | None) -> None:
        if self._picking is not None and not self._picking[1].done():
            self._picking[1].set_result(answer)
