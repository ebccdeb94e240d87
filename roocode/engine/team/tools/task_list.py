"""TaskList: the shared list, one line a task."""

from __future__ import annotations

from roocode.engine.team.task_text import render_list
from roocode.engine.team.tools.ports import TaskBoard
from roocode.engine.team.tools.schema import SchedulingTool
from roocode.protocol.messages import Arguments


class TaskList(SchedulingTool):
    """Shows all tasks."""

    def __init__(self, board: TaskBoard) -> None:
        super().__init__("TaskList", __file__, {}, ())
        self._board = board

    def runs_alongside(self, arguments: Arguments) -> bool:
        """True: it only reads."""
        return True

    async def act(self, arguments: Arguments) -> str:
        """`1 [pending] subject (owner, blocked by 2 3)`, one line a task."""
        return render_list(await self._board.tasks())
