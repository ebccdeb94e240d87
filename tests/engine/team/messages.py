"""One message of every type."""

from typing import Any

from roocode.engine.team import mail
from roocode.protocol.team import (
    IdleNotification,
    PermissionRequest,
    PermissionResponse,
    PlanApprovalRequest,
    PlanApprovalResponse,
    ShutdownRequest,
    ShutdownResponse,
    StatusUpdate,
    TaskAssignment,
    TeamMessage,
    TextMail,
)


def one_of_each() -> dict[str, TeamMessage]:
    up: dict[str, Any] = {"id": "m1", "from_": "alice", "to": "lead", "timestamp": "t", "summary": "s"}
    down: dict[str, Any] = {"id": "m2", "from_": "lead", "to": "alice", "timestamp": "t", "summary": "s"}
    messages: list[TeamMessage] = [
        TextMail(**up, text="the signature changed"),
        TaskAssignment(**down, task_id="3"),
        StatusUpdate(**up, text="Task 1 is completed."),
        IdleNotification(**up, completed=("1", "2"), unfinished=("3",), last_text="done so far"),
        ShutdownRequest(**down, reason="the work is done"),
        ShutdownResponse(**up, in_reply_to="m2", approve=False, reason="task 3 is open"),
        PlanApprovalRequest(**up, plan="1. split"),
        PlanApprovalResponse(**down, in_reply_to="m1", approve=True, feedback="go", permission_mode="plan"),
        PermissionRequest(**up, tool="Bash", input={"command": "make", "a_b": [1]}, preview="make"),
        PermissionResponse(**down, in_reply_to="m1", decision="allow", scope="session", digest="d"),
    ]
    return {mail.kind_of(message): message for message in messages}
