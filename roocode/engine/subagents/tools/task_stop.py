"""TaskStop, outside a team: ends what runs under an id."""

from __future__ import annotations

from typing import Annotated

from roocode.engine.subagents.desk import Desk
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class TaskStopInput(Input):
    """What TaskStop takes."""

    taskId: Annotated[str, Limit(min_length=1)]  # noqa: N815
    """The id: `a…` or a name an agent, `b…` a shell, `3` a task."""


class TaskStop(Action[TaskStopInput]):
    """Ends one."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def touches(self, given: TaskStopInput) -> Touches:
        """Nothing but the session's own agents and processes."""
        return Touches()

    async def run(self, given: TaskStopInput) -> ToolOutcome:
        """What was stopped."""
        return ToolOutcome(await self._desk.stop(given.taskId))


def build(desk: Desk) -> Tool:
    """TaskStop."""
    return make_tool(__name__, TaskStopInput, TaskStop(desk))
