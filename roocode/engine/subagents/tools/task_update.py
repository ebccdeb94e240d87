"""TaskUpdate, outside a team: claims, completes, assigns, edits and connects tasks."""

from __future__ import annotations

from typing import Annotated, Literal

from roocode.engine.subagents.desk import Desk
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class TaskUpdateInput(Input):
    """What TaskUpdate takes."""

    taskId: Annotated[str, Limit(min_length=1)]  # noqa: N815
    """The task's id, such as `3`."""
    status: Literal["pending", "in_progress", "completed"] | None = None
    """`in_progress` claims it for you, `completed` ends it, `pending` gives it back."""
    owner: str | None = None
    """Who is to do it: the name of an agent."""
    subject: str | None = None
    """A new subject."""
    description: str | None = None
    """A new description."""
    addBlocks: tuple[str, ...] = ()  # noqa: N815
    """Ids of tasks that must wait for this one."""
    addBlockedBy: tuple[str, ...] = ()  # noqa: N815
    """Ids of tasks that this one must wait for."""


class TaskUpdate(Action[TaskUpdateInput]):
    """Changes a task for the agent `by`."""

    def __init__(self, desk: Desk, by: str) -> None:
        self._desk = desk
        self._by = by

    def touches(self, given: TaskUpdateInput) -> Touches:
        """Nothing outside this session."""
        return Touches()

    async def run(self, given: TaskUpdateInput) -> ToolOutcome:
        """What the change came to."""
        return ToolOutcome(
            self._desk.update(
                given.taskId,
                by=self._by,
                status=given.status,
                owner=given.owner,
                subject=given.subject,
                description=given.description,
                add_blocks=given.addBlocks,
                add_blocked_by=given.addBlockedBy,
            )
        )


def build(desk: Desk, by: str) -> Tool:
    """TaskUpdate."""
    return make_tool(__name__, TaskUpdateInput, TaskUpdate(desk, by))
