"""What the scheduling tools need of the team: nothing here can touch code."""

from __future__ import annotations

from typing import Protocol

from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.mail import Content
from roocode.engine.team.tasks import TaskChange, Updated
from roocode.protocol.team import Task


class TaskBoard(Protocol):
    """The shared task list, as the calling agent sees and changes it."""

    async def tasks(self) -> Tasks:
        """All tasks."""
        ...

    async def create(self, subject: str, description: str) -> Task:
        """Adds a pending task."""
        ...

    async def update(self, task_id: str, change: TaskChange) -> Updated:
        """Makes a change. Raises TaskRefused."""
        ...


class Post(Protocol):
    """The mail of the calling agent."""

    async def send(self, to: str, summary: str, content: Content) -> str:
        """Sends to a name, an agent id or `*`; returns what came of it. Raises MailRefused."""
        ...


class Merger(Protocol):
    """Merges a teammate's branch into the integration worktree."""

    async def merge(self, name: str, preview: bool) -> str:
        """Returns what came of it, or with `preview` what would. Raises ModelError or HostError."""
        ...


class Stopper(Protocol):
    """Stops what runs under an id: a member, a background agent, or the work on a task."""

    async def stop(self, target: str) -> str:
        """Returns what was stopped. Raises ModelError or HostError."""
        ...
