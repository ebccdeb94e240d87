"""Scenarios for runs that go wrong: a lead, and members with a task each, who claim it again after death."""

from __future__ import annotations

from typing import Any

Step = dict[str, Any]
Call = dict[str, Any]

AGAIN = "started again with your whole conversation"


def call(tool: str, **fields: Any) -> Call:
    return {"tool": tool, "input": fields}


def bash(command: str) -> Call:
    return call("Bash", command=command)


def edit(path: str, old: str, new: str) -> list[Call]:
    return [call("ReadFile", path=path), call("EditFile", path=path, old_string=old, new_string=new)]


def update(subject: str, status: str) -> Call:
    return call("TaskUpdate", taskId=f"{{{{ task('{subject}') }}}}", status=status)


def member(subject: str, *work: Step, rest: tuple[Step, ...] = ()) -> list[Step]:
    """Claims the task `subject`, does `work`, completes it and stops; `rest` is what it does when woken.

    After a death it claims again before anything else.
    """
    return [
        {
            "always": True,
            "when": {"last_contains": AGAIN, "claimable": subject},
            "text": "I take it up again.",
            "calls": [update(subject, "in_progress")],
        },
        {"calls": [update(subject, "in_progress")]},
        *work,
        {"calls": [update(subject, "completed")]},
        {"text": f"{subject} is done."},
        *rest,
        {"always": True, "text": "I have nothing to do ({{ turn }})."},
    ]


def team(members: dict[str, list[Step]], *, tasks: dict[str, str] | None = None) -> Step:
    """Members with a task each (`NAME's` is spelled `NAME part`), started one after the other, and merged."""
    subjects = tasks or {name: f"{name} part" for name in members}
    spawn = [
        call("Agent", name=name, team_name="{{ team }}", description="its part", prompt=f"Do: {subject}")
        for name, subject in subjects.items()
    ]
    merge = [call("MergeTeammate", name=name) for name in members]
    lead: list[Step] = [
        {
            "text": "I split the work.",
            "calls": [
                call("TaskCreate", subject=subject, description=subject) for subject in subjects.values()
            ],
        },
        {"calls": spawn},
        {"text": "All are at work."},
        {"when": {"all_tasks": "completed"}, "calls": merge},
        {"when": {"last_role": "tool"}, "text": "All is merged."},
        {"always": True, "text": "Noted ({{ turn }})."},
    ]
    return {"agents": {"lead": lead, **members}}
