"""TaskGet, outside a team: a task, a sub-agent or a background shell, whole."""

from __future__ import annotations

from typing import Annotated

from roocode.engine.subagents.desk import Desk
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class TaskGetInput(Input):
    """What TaskGet takes."""

    taskId: Annotated[str, Limit(min_length=1)]  # noqa: N815
    """The id: `3` a task, `a…` or a name an agent, `b…` a shell."""


class TaskGet(Action[TaskGetInput]):
    """Shows one."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def touches(self, given: TaskGetInput) -> Touches:
        """Nothing."""
        return Touches()

    def runs_alongside(self, given: TaskGetInput) -> bool:
        """It only reads."""
        return True

    async def run(self, given: TaskGetInput) -> ToolOutcome:
        """How it stands."""
        return ToolOutcome(self._desk.get(given.taskId))


def build(desk: Desk) -> Tool:
    """TaskGet."""
    return make_tool(__name__, TaskGetInput, TaskGet(desk))
