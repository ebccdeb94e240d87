"""TaskCreate: a ticket on the shared list."""

from __future__ import annotations

from roocode.engine.team.tools.ports import TaskBoard
from roocode.engine.team.tools.schema import SchedulingTool, text
from roocode.protocol.messages import Arguments


class TaskCreate(SchedulingTool):
    """Adds a pending task."""

    def __init__(self, board: TaskBoard) -> None:
        fields = {
            "subject": text("What is to be done, in a few words", least=1),
            "description": text("All that whoever takes it must know: files, outcome, how to check it"),
        }
        super().__init__("TaskCreate", __file__, fields, ("subject", "description"))
        self._board = board

    async def act(self, arguments: Arguments) -> str:
        """`Task 1: …` with the new id."""
        task = await self._board.create(arguments["subject"], arguments["description"])
        return f"Task {task.id}: created [{task.status}] {task.subject}"
