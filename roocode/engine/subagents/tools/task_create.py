"""TaskCreate, outside a team: a task on the session's own list."""

from __future__ import annotations

from typing import Annotated

from roocode.engine.subagents.desk import Desk
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class TaskCreateInput(Input):
    """What TaskCreate takes."""

    subject: Annotated[str, Limit(min_length=1)]
    """What is to be done, in a few words."""
    description: str
    """All that whoever does it must know."""


class TaskCreate(Action[TaskCreateInput]):
    """Adds a pending task."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def touches(self, given: TaskCreateInput) -> Touches:
        """Nothing outside this session."""
        return Touches()

    async def run(self, given: TaskCreateInput) -> ToolOutcome:
        """Its id."""
        return ToolOutcome(self._desk.create(given.subject, given.description))


def build(desk: Desk) -> Tool:
    """TaskCreate."""
    return make_tool(__name__, TaskCreateInput, TaskCreate(desk))
