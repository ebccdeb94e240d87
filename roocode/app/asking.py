"""Puts the model's own questions to the person at the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from roocode.interaction.ui.terminal.choices import Choice
from roocode.tools.services import Question


class AskAtScreen:
    """Asks one question after the other."""

    def __init__(self, choose: Callable[[Choice], Awaitable[str | None]]) -> None:
        self._choose = choose

    async def ask(self, questions: tuple[Question, ...]) -> tuple[str, ...] | None:
        """One answer for each question; None as soon as the person gives none."""
        answers = []
        for question in questions:
            options = tuple((option.label, option.description) for option in question.options)
            choice = Choice(question.question, options, question.header, question.multiple)
            answer = await self._choose(choice)
            if answer is None:
                return None
            answers.append(answer)
        return tuple(answers)
