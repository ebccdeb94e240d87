"""AskUser: questions to the person."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Asker, Question, Services
from roocode.tools.typed_tool import Action, make_tool

DISMISSED = (
    "The person did not answer. Take no answer for granted: go on without, or stop and say what is open."
)


@frozen
class AskUserInput(Input):
    """What AskUser takes."""

    questions: Annotated[tuple[Question, ...], Limit(min_length=1, max_length=4)]
    """The questions, asked together."""


class AskUser(Action[AskUserInput]):
    """Asks, and waits for as long as it takes."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def touches(self, given: AskUserInput) -> Touches:
        """Nothing."""
        return Touches()

    async def run(self, given: AskUserInput) -> ToolOutcome:
        """Gives each question's answer in the person's words."""
        answers = await self._asker.ask(given.questions)
        if answers is None:
            return ToolOutcome(DISMISSED)
        pairs = zip(given.questions, answers, strict=True)
        return ToolOutcome("\n".join(f"{question.question}\n→ {answer}" for question, answer in pairs))


def build(services: Services) -> Tool | None:
    """AskUser, where there is somebody to ask."""
    return make_tool(__name__, AskUserInput, AskUser(services.asker)) if services.asker else None
