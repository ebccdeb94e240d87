"""The shared task list as one agent sees it: changes are stored, recorded, and told to those they concern."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from roocode.engine.team import tasks
from roocode.engine.team.codec import timestamp
from roocode.engine.team.dependencies import Tasks, unblocked
from roocode.engine.team.store.interface import TeamStore
from roocode.engine.team.task_mail import letters
from roocode.engine.team.tasks import FinishedWork, TaskChange, TaskRefused, Updated
from roocode.protocol.errors import HostError
from roocode.protocol.team import LEAD, Task, TeamMessage

EVENTS = {
    "claimed": "claimed",
    "completed": "completed",
    "released": "released",
    "assigned": "task_updated",
    "updated": "task_updated",
}


class Worktree(Protocol):
    """The git work around a claim and a completion, in the worktree of the agent that asks."""

    async def before_claim(self, task: Task) -> str | None:
        """Commits what is left; returns the commit from which the task's own commits count."""
        ...

    async def after_claim(self, task: Task, blockers: Sequence[Task]) -> str:
        """Brings in what other members committed for `blockers`; returns a note for the model, or "".

        Called again when a claim that was interrupted is repeated.
        """
        ...

    async def before_complete(self, task: Task) -> FinishedWork:
        """Commits what is left; returns the commits since the claim."""
        ...


class NoWorktree:
    """The Worktree of an agent that has none."""

    async def before_claim(self, task: Task) -> str | None:
        """Records no commit."""
        return None

    async def after_claim(self, task: Task, blockers: Sequence[Task]) -> str:
        """Brings nothing in."""
        return ""

    async def before_complete(self, task: Task) -> FinishedWork:
        """Finds no commits."""
        return FinishedWork()


class Courier(Protocol):
    """Delivers the mail that a change gives rise to."""

    async def deliver(self, message: TeamMessage) -> str:
        """Returns what came of it. Raises HostError."""
        ...


class TeamBoard:
    """The task list of a team for the member `me`, or the lead."""

    def __init__(
        self,
        store: TeamStore,
        courier: Courier,
        me: str,
        worktree: Worktree | None = None,
        clock: Callable[[], str] = timestamp,
    ) -> None:
        self._store = store
        self._courier = courier
        self._me = me
        self._worktree = worktree or NoWorktree()
        self._clock = clock

    async def tasks(self) -> Tasks:
        """The list as it stands. Raises HostError."""
        return await asyncio.to_thread(self._store.tasks)

    async def create(self, subject: str, description: str) -> Task:
        """Adds a task. Raises HostError."""

        def add() -> Task:
            task = self._store.change_tasks(
                lambda now: tasks.create(now, subject, description, by=self._me, at=self._clock())
            )
            self._store.record("task_created", self._me, {"task": task.id, "subject": subject})
            return task

        return await asyncio.to_thread(add)

    async def update(self, task_id: str, change: TaskChange) -> Updated:
        """Makes the change, with the git work of a claim or a completion around it.

        Raises TaskRefused, with nothing done, HostError, or what the worktree raises.
        """
        change = await self._with_known_owner(change)
        foreseen = self._apply(await self.tasks(), task_id, change)[1]
        base, work = None, None
        if foreseen.step == "claimed":
            base = await self._worktree.before_claim(foreseen.before)
        elif foreseen.step == "completed" and foreseen.before.status != "completed":
            work = await self._worktree.before_complete(foreseen.before)
        updated, freed = await asyncio.to_thread(self._store_change, task_id, change, base, work)
        notes = [await self._bring_in(updated.task)] if updated.step == "claimed" else []
        notes += await self._tell(updated, freed)
        return replace(updated, note="\n".join(note for note in notes if note))

    def _apply(
        self,
        now: Tasks,
        task_id: str,
        change: TaskChange,
        base: str | None = None,
        work: FinishedWork | None = None,
    ) -> tuple[Tasks, Updated]:
        return tasks.update(now, task_id, change, by=self._me, at=self._clock(), base=base, work=work)

    def _store_change(
        self, task_id: str, change: TaskChange, base: str | None, work: FinishedWork | None
    ) -> tuple[Updated, Tasks]:
        def apply(now: Tasks) -> tuple[Tasks, tuple[Updated, Tasks]]:
            after, updated = self._apply(now, task_id, change, base, work)
            return after, (updated, unblocked(now, after))

        updated, freed = self._store.change_tasks(apply)
        if updated.task != updated.before:
            detail = {
                "task": task_id,
                "subject": updated.task.subject,
                "owner": updated.task.owner,
                "status": updated.task.status,
            }
            self._store.record(EVENTS[updated.step], self._me, detail)
        return updated, freed

    async def _bring_in(self, task: Task) -> str:
        blockers = [t for t in await self.tasks() if t.id in task.blocked_by and t.owner != self._me]
        return await self._worktree.after_claim(task, blockers)

    async def _with_known_owner(self, change: TaskChange) -> TaskChange:
        if not change.owner:
            return change
        team = await asyncio.to_thread(self._store.team)
        if change.owner in (LEAD, team.lead_agent_id):
            return replace(change, owner=LEAD)
        member = team.member(change.owner)
        if member is None:
            names = ", ".join((LEAD, *(m.name for m in team.members)))
            raise TaskRefused(f"There is no {change.owner!r} in the team: its names are {names}.")
        return replace(change, owner=member.name)

    async def _tell(self, updated: Updated, freed: Tasks) -> list[str]:
        """Delivers the mail that a change gives rise to; gives notes on what could not be written."""
        team = await asyncio.to_thread(self._store.team)
        names = (LEAD, *(member.name for member in team.members))
        notes = []
        for letter in letters(updated, freed, names=names, by=self._me, at=self._clock()):
            try:
                await self._courier.deliver(letter)
            except HostError as error:
                notes.append(f"{letter.to} was not told: {error.what}")
        return notes
