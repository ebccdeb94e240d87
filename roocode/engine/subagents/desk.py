"""What a session has going: its own tasks, its sub-agents, its background shells. Ids tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from roocode.engine.subagents.agents import SubAgents
from roocode.engine.subagents.ports import Diary
from roocode.engine.subagents.worker import Worker
from roocode.protocol.errors import ModelError
from roocode.security.sandbox.job import Job

if TYPE_CHECKING:
    from roocode.protocol.team import Task, TaskStatus

TASKS = "session_tasks"


class Jobs(Protocol):
    """Where background shells are."""

    @property
    def background(self) -> dict[str, Job]:
        """Them, by id."""
        ...


class Desk:
    """The list that an agent and its sub-agents share; `diary` keeps the tasks for a resumed session."""

    def __init__(
        self, agents: SubAgents, diary: Diary, shells: Jobs | None, tasks: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        self._agents = agents
        self._diary = diary
        self._shells = shells
        self._kept = tuple(tasks)
        self._tasks: tuple[Task, ...] | None = None

    def create(self, subject: str, description: str) -> str:
        """Adds a pending task."""
        from roocode.engine.team import tasks

        after, task = tasks.create(self._now(), subject, description, by=self._agents.parent, at=_timestamp())
        self._keep(after)
        return f"Task {task.id}: created [{task.status}] {task.subject}"

    def update(
        self, task_id: str, *, by: str, status: TaskStatus | None, owner: str | None, **more: Any
    ) -> str:
        """Makes a change. Raises ModelError."""
        from roocode.engine.team import tasks
        from roocode.engine.team.task_text import render_line
        from roocode.protocol.team import LEAD

        change = tasks.TaskChange(status=status, owner=owner, **more)
        gives = by == self._agents.parent and tasks.step_of(change, by) == "assigned"
        actor = LEAD if gives else by
        after, updated = tasks.update(self._now(), task_id, change, by=actor, at=_timestamp())
        self._keep(after)
        return f"Task {updated.step}: {render_line(updated.task, after)}"

    def overview(self) -> str:
        """One line each; what has ended and was told is left to TaskGet."""
        from roocode.engine.team.task_text import render_line

        lines = [render_line(task, self._now()) for task in self._now()]
        lines += map(_agent_line, self._agents.reachable)
        lines += map(_job_line, self._background().values())
        return "\n".join(lines) or "There is nothing: no tasks, no sub-agents, no background shells."

    def get(self, identifier: str) -> str:
        """All that is known of one. Raises ModelError."""
        if identifier in self._background():
            return f"{_job_line(self._background()[identifier])}\nBashOutput shows what it prints."
        if not identifier.isdecimal():
            worker = self._agents.find(identifier)
            reached = worker.outcome
            parts = [_agent_line(worker), f"Its task: {worker.order.prompt}" if worker.order.prompt else ""]
            if reached is not None:
                parts += [reached.text, reached.reason, reached.place, reached.figures]
            return "\n\n".join(part for part in parts if part)
        from roocode.engine.team import tasks
        from roocode.engine.team.task_text import render_task

        return render_task(tasks.find(self._now(), identifier), self._now())

    async def stop(self, identifier: str) -> str:
        """Ends one. Raises ModelError."""
        if job := self._background().get(identifier):
            await job.end()
            return f"{identifier} was ended with all that it started."
        if not identifier.isdecimal():
            return await self._agents.stop(identifier)
        from roocode.engine.team import tasks

        task = tasks.find(self._now(), identifier)
        if task.status != "in_progress":
            raise ModelError(f"Nobody works on task {identifier}: it is {task.status}.")
        worker = next((w for w in self._agents.working if w.profile.label == task.owner), None)
        told = f" {await self._agents.stop(worker.profile.id)}" if worker is not None else ""
        self._keep(tasks.release(self._now(), identifier, at=_timestamp()))
        return f"Task {identifier} is free again.{told}"

    def _background(self) -> Mapping[str, Job]:
        return self._shells.background if self._shells is not None else {}

    def _now(self) -> tuple[Task, ...]:
        if self._tasks is None:
            self._tasks = tuple(task for each in self._kept if (task := _task(each)) is not None)
        return self._tasks

    def _keep(self, tasks: tuple[Task, ...]) -> None:
        self._tasks = tasks
        self._diary.note(TASKS, items=[asdict(task) for task in tasks])


def _task(fields: Mapping[str, Any]) -> Task | None:
    """One of an earlier life of the session; None where its record is damaged."""
    from roocode.protocol.team import Task

    try:
        return Task(**{**fields, **_tuples(fields)})
    except TypeError:
        return None


def _tuples(fields: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}


def _agent_line(worker: Worker) -> str:
    profile = worker.profile
    name = f" {profile.label}" if profile.label != profile.id else ""
    return f"{profile.id}{name} [{worker.state}] {profile.kind}: {profile.description}"


def _job_line(job: Job) -> str:
    state = "running" if job.ended is None else f"ended with exit code {job.ended.code}"
    return f"{job.id} [{state}] {' '.join(job.command.split())[:80]}"


def _timestamp() -> str:
    from roocode.engine.team.codec import timestamp

    return timestamp()
