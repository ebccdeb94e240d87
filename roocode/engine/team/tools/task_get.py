"""TaskGet: one task whole."""

from __future__ import annotations

from roocode.engine.team.task_text import render_task
from roocode.engine.team.tasks import find
from roocode.engine.team.tools.ports import TaskBoard
from roocode.engine.team.tools.schema import SchedulingTool, text
from roocode.protocol.messages import Arguments


class TaskGet(SchedulingTool):
    """Shows a task with its description, edges, note and commits."""

    def __init__(self, board: TaskBoard) -> None:
        super().__init__(
            "TaskGet", __file__, {"taskId": text("The task's id, as in `3`", least=1)}, ("taskId",)
        )
        self._board = board

    def runs_alongside(self, arguments: Arguments) -> bool:
        """True: it only reads."""
        return True

    async def act(self, arguments: Arguments) -> str:
        """The task's line and all that is known of it."""
        tasks = await self._board.tasks()
        return render_task(find(tasks, arguments["taskId"]), tasks)
