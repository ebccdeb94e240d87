"""TaskList, outside a team: tasks, sub-agents and background shells, one line each."""

from __future__ import annotations

from roocode.engine.subagents.desk import Desk
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input
from roocode.tools.typed_tool import Action, make_tool


@frozen
class TaskListInput(Input):
    """TaskList takes nothing."""


class TaskList(Action[TaskListInput]):
    """Shows all."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def touches(self, given: TaskListInput) -> Touches:
        """Nothing."""
        return Touches()

    def runs_alongside(self, given: TaskListInput) -> bool:
        """It only reads."""
        return True

    async def run(self, given: TaskListInput) -> ToolOutcome:
        """One line each."""
        return ToolOutcome(self._desk.overview())


def build(desk: Desk) -> Tool:
    """TaskList."""
    return make_tool(__name__, TaskListInput, TaskList(desk))
