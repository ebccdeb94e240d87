"""The words of a team: roster, tasks and the closed union of typed messages.

Field names on disk are the camelCase ones of the team protocol; `engine/team/store` maps them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen

BackendName: TypeAlias = Literal["tmux", "iterm2", "in-process"]
TaskStatus: TypeAlias = Literal["pending", "in_progress", "completed"]
MemberState: TypeAlias = Literal["starting", "ready", "active", "idle", "waiting", "stopped", "dead"]

AT_WORK: frozenset[MemberState] = frozenset({"starting", "ready", "active", "waiting"})
LEAD = "lead"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


def valid_name(name: str) -> bool:
    """Whether this can name a team, member or agent."""
    return NAME.fullmatch(name) is not None


@frozen
class Member:
    """A line of the roster. `is_active` None or True means active, False idle; times are ISO 8601 UTC."""

    name: str
    agent_id: str
    agent_type: str
    model: str
    color: str
    worktree_path: str
    branch: str
    backend_type: BackendName
    pane_id: str | None = None
    session_id: str | None = None
    is_active: bool | None = None
    plan_mode_required: bool = False
    spawned_at: str = ""


@frozen
class Team:
    """The roster: team.json."""

    name: str
    lead_agent_id: str
    goal: str
    created_at: str
    base_branch: str | None
    base_commit: str
    integration_branch: str
    members: tuple[Member, ...] = ()

    def member(self, name: str) -> Member | None:
        """The member with this name or agent id."""
        return next((m for m in self.members if name in (m.name, m.agent_id)), None)


@frozen
class Task:
    """A line of the shared task list; `owner` is a member's name.

    `commits` are those made between claim and completion; `claim_base` is the commit at the claim.
    """

    id: str
    subject: str
    description: str = ""
    status: TaskStatus = "pending"
    owner: str | None = None
    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    created_by: str = ""
    created_at: str = ""
    updated_at: str = ""
    result: str | None = None
    claim_base: str | None = None
    commits: tuple[str, ...] = ()
    completed_commit: str | None = None


@frozen
class MemberReport:
    """What a member's process says of itself: members/<agent>.json.

    `exit` is the exit record, written last: tmux loses exit codes. Turns, tokens, cost and the seconds that
    it lived are sums over all its lives; `cost_usd` is None once a price was unknown.
    """

    name: str
    pid: int
    state: MemberState
    reason: str = ""
    wake_socket: str | None = None
    last_event_at: str = ""
    started_at: str = ""
    exit: Mapping[str, Any] | None = None
    turns: int = 0
    tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0


@frozen
class Budget:
    """What a whole team may use, over all its runs; None: no limit. The seconds are those of its lead."""

    tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None


@frozen(kw_only=True)
class _Mail:
    """What every message has; `from_` and `to` are member names ("lead" for the lead)."""

    id: str
    from_: str
    to: str
    timestamp: str
    summary: str
    in_reply_to: str | None = None


@frozen(kw_only=True)
class TextMail(_Mail):
    """`message`: words of one agent to another, framed as such, never as the user's."""

    text: str


@frozen(kw_only=True)
class TaskAssignment(_Mail):
    """`task_assignment`: written by code when the lead sets a task's owner; gives new work."""

    task_id: str


@frozen(kw_only=True)
class StatusUpdate(_Mail):
    """`status_update`: information only, wakes nobody."""

    text: str


@frozen(kw_only=True)
class IdleNotification(_Mail):
    """`idle_notification`: a teammate stopped; the lead is woken."""

    completed: tuple[str, ...]
    unfinished: tuple[str, ...]
    last_text: str


@frozen(kw_only=True)
class ShutdownRequest(_Mail):
    """`shutdown_request`: signed by the lead."""

    reason: str = ""
    hmac: str = ""


@frozen(kw_only=True)
class ShutdownResponse(_Mail):
    """`shutdown_response`: a teammate may refuse with a reason."""

    approve: bool
    reason: str = ""


@frozen(kw_only=True)
class PlanApprovalRequest(_Mail):
    """`plan_approval_request`: a teammate's plan, for the lead to judge."""

    plan: str


@frozen(kw_only=True)
class PlanApprovalResponse(_Mail):
    """`plan_approval_response`: signed by the lead; passes its permission mode on."""

    approve: bool
    feedback: str = ""
    permission_mode: str = "default"
    hmac: str = ""


@frozen(kw_only=True)
class PermissionRequest(_Mail):
    """`permission_request`: a question for the person at the lead's window.

    `facts` is what else of the question a person should see.
    """

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict)
    preview: str = ""
    layer: str = ""
    reason: str = ""
    digest: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@frozen(kw_only=True)
class PermissionResponse(_Mail):
    """`permission_response`: a person's answer, signed; no model may give it.

    `rules` are those of an "always" that `stored`, a file, holds by now.
    """

    decision: Literal["allow", "deny"]
    scope: Literal["once", "session", "always"] = "once"
    reason: str = ""
    digest: str = ""
    by: Literal["person", "policy"] = "person"
    rules: tuple[str, ...] = ()
    stored: str = ""
    hmac: str = ""


TeamMessage: TypeAlias = (
    TextMail
    | TaskAssignment
    | StatusUpdate
    | IdleNotification
    | ShutdownRequest
    | ShutdownResponse
    | PlanApprovalRequest
    | PlanApprovalResponse
    | PermissionRequest
    | PermissionResponse
)
