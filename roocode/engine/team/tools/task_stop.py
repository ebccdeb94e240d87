"""TaskStop: ends what runs under an id."""

from __future__ import annotations

from roocode.engine.team.tools.ports import Stopper
from roocode.engine.team.tools.schema import SchedulingTool, text
from roocode.protocol.messages import Arguments


class TaskStop(SchedulingTool):
    """Stops a member, a background agent, or the work on a task."""

    def __init__(self, stopper: Stopper) -> None:
        fields = {"taskId": text("The id or name of a member, a background agent or a task", least=1)}
        super().__init__("TaskStop", __file__, fields, ("taskId",))
        self._stopper = stopper

    async def act(self, arguments: Arguments) -> str:
        """What was stopped, and what it left."""
        return await self._stopper.stop(arguments["taskId"])
