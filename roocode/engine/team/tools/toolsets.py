"""Which scheduling tools a role has: the table "Who has which tools" of the team protocol."""

from __future__ import annotations

from roocode.engine.team.tools.merge_teammate import MergeTeammate
from roocode.engine.team.tools.ports import Merger, Post, Stopper, TaskBoard
from roocode.engine.team.tools.send_message import SendMessage
from roocode.engine.team.tools.task_create import TaskCreate
from roocode.engine.team.tools.task_get import TaskGet
from roocode.engine.team.tools.task_list import TaskList
from roocode.engine.team.tools.task_stop import TaskStop
from roocode.engine.team.tools.task_update import TaskUpdate
from roocode.protocol.tools import Tool


def teammate_tools(board: TaskBoard, post: Post) -> tuple[Tool, ...]:
    """The list and the mail; a teammate neither stops nor merges others."""
    return SendMessage(post), TaskCreate(board), TaskGet(board), TaskList(board), TaskUpdate(board)


def lead_tools(board: TaskBoard, post: Post, merger: Merger, stopper: Stopper) -> tuple[Tool, ...]:
    """All scheduling tools."""
    return (*teammate_tools(board, post), TaskStop(stopper), MergeTeammate(merger))
