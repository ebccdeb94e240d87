"""TaskUpdate: claim, complete, release, assign, edit and connect tasks."""

from __future__ import annotations

from roocode.engine.team.tasks import TaskChange, TaskStep, Updated
from roocode.engine.team.tools.ports import TaskBoard
from roocode.engine.team.tools.schema import SchedulingTool, text, texts
from roocode.protocol.messages import Arguments


class TaskUpdate(SchedulingTool):
    """Changes one task, all of it or nothing."""

    def __init__(self, board: TaskBoard) -> None:
        status = {
            "type": "string",
            "enum": ["pending", "in_progress", "completed"],
            "description": "What becomes of it",
        }
        fields = {
            "taskId": text("The task's id, as in `3`", least=1),
            "status": status,
            "owner": text("The member it is reserved for"),
            "subject": text("A new subject", least=1),
            "description": text("A new description"),
            "addBlocks": texts("Ids of tasks that have to wait for this one"),
            "addBlockedBy": texts("Ids of tasks that this one has to wait for"),
        }
        super().__init__("TaskUpdate", __file__, fields, ("taskId",))
        self._board = board

    async def act(self, arguments: Arguments) -> str:
        """`Task 1: …` with what the change came to, and what the one who claims should know."""
        change = TaskChange(
            status=arguments.get("status"),
            owner=arguments.get("owner"),
            subject=arguments.get("subject"),
            description=arguments.get("description"),
            add_blocks=tuple(arguments.get("addBlocks", ())),
            add_blocked_by=tuple(arguments.get("addBlockedBy", ())),
        )
        return told(await self._board.update(arguments["taskId"], change))


def told(updated: Updated) -> str:
    """The result that the model reads."""
    task = updated.task
    words: dict[TaskStep, str] = {
        "claimed": f"claimed by {task.owner}",
        "completed": "completed",
        "released": "released",
        "assigned": f"reserved for {task.owner}, who has to claim it",
        "updated": "updated",
    }
    lines = [f"Task {task.id}: {words[updated.step]} [{task.status}] {task.subject}"]
    if updated.step == "claimed" and task.result:
        lines.append(f"Left by whoever had it before: {task.result}")
    if updated.note:
        lines.append(updated.note)
    return "\n".join(lines)
