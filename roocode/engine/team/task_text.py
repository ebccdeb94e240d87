"""Tasks as the text that models and persons read. Pure."""

from __future__ import annotations

from roocode.engine.team.dependencies import Tasks, unfinished_blockers
from roocode.protocol.team import Task


def render_line(task: Task, tasks: Tasks) -> str:
    """`1 [pending] subject (owner, blocked by 2 3)`, naming unfinished blockers only."""
    blockers = unfinished_blockers(tasks, task)
    facts = [task.owner] if task.owner else []
    if blockers:
        facts.append(f"blocked by {' '.join(blockers)}")
    tail = f" ({', '.join(facts)})" if facts else ""
    return f"{task.id} [{task.status}] {' '.join(task.subject.split())}{tail}"


def render_list(tasks: Tasks) -> str:
    """The whole list, one line a task."""
    return "\n".join(render_line(task, tasks) for task in tasks) or "There are no tasks yet."


def render_task(task: Task, tasks: Tasks) -> str:
    """All that is known of one task: its line, then description, edges, note and commits."""
    parts = [render_line(task, tasks)]
    if task.description:
        parts.append(task.description)
    facts = {
        "blocks": task.blocks,
        "blocked by": task.blocked_by,
        "commits": task.commits,
        "note": (task.result,) if task.result else (),
    }
    lines = [f"{name}: {' '.join(values)}" for name, values in facts.items() if values]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
