"""Events out: all that screens, logs and machine-readable output learn. A closed union.

Every event carries the id of the agent it comes from and of that agent's parent, where it has one.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, TypeAlias

from roocode.protocol.decisions import Decision, PermissionAnswer, PermissionQuestion
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Reply, ToolCall, Usage
from roocode.protocol.tools import ToolOutcome


@frozen(kw_only=True)
class _Event:
    agent: str = "main"
    parent: str | None = None


@frozen(kw_only=True)
class SessionStarted(_Event):
    """A session is open: always the first event of its agent. `servers` are those of MCP: name and status.

    `commands` are what `/name` calls, `agents` and `skills` what a model may start and load, by name;
    `plugins` are name and directory. `usage` and `cost_usd` are what it has used before, None where a price
    is unknown.
    """

    session_id: str
    model: str
    cwd: str
    mode: str
    tools: tuple[str, ...]
    servers: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    plugins: tuple[tuple[str, str], ...] = ()
    resumed: bool = False
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0


@frozen(kw_only=True)
class PromptAdded(_Event):
    """A user message entered the conversation."""

    message: Message


@frozen(kw_only=True)
class RequestStarted(_Event):
    """A request to the model leaves; `turn` counts from 1 in a run."""

    turn: int


@frozen(kw_only=True)
class AnswerDelta(_Event):
    """Text of the answer as it streams."""

    text: str
    kind: Literal["text", "thinking"] = "text"


@frozen(kw_only=True)
class RequestRetried(_Event):
    """A try failed; deltas since RequestStarted are void."""

    attempt: int
    of: int
    delay_s: float
    reason: str


@frozen(kw_only=True)
class Answered(_Event):
    """A whole answer, already in the log."""

    reply: Reply
    cost_usd: float | None = None


@frozen(kw_only=True)
class CallBegan(_Event):
    """A tool call is about to be decided and run."""

    call: ToolCall


@frozen(kw_only=True)
class PermissionAsked(_Event):
    """A person must answer before the call goes on."""

    question: PermissionQuestion


@frozen(kw_only=True)
class PermissionAnswered(_Event):
    """The question with this id is closed."""

    question_id: str
    answer: PermissionAnswer


@frozen(kw_only=True)
class CallDecided(_Event):
    """The guard's final word on a call."""

    call: ToolCall
    decision: Decision


@frozen(kw_only=True)
class CallFinished(_Event):
    """A call has its result, already in the log."""

    call: ToolCall
    outcome: ToolOutcome
    duration_ms: int = 0


@frozen(kw_only=True)
class RoomMade(_Event):
    """The conversation became shorter, so that it fits the model's window; sizes are in tokens.

    `kind`: old results were cleared, a summary replaced old turns, or the oldest turns were dropped. `fault`
    says why there was no summary. `by_person` where a person asked for it. `usage` and `cost_usd` are those
    of the requests that it took, None where the price is unknown.
    """

    kind: Literal["cleared", "summary", "dropped"]
    before: int
    after: int
    window: int
    fault: str = ""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    by_person: bool = False


RunEnd: TypeAlias = Literal["done", "turn_limit", "budget", "cancelled", "failed", "refused"]


@frozen(kw_only=True)
class RunEnded(_Event):
    """The loop stopped: `text` is the last text of the model, `reason` says why where it is not "done".

    `session_usage` and `session_cost_usd` are sums over all runs of a session; None where it keeps none, and
    where a price is unknown.
    """

    end: RunEnd
    text: str
    turns: int
    usage: Usage
    cost_usd: float | None
    duration_ms: int
    api_ms: int = 0
    reason: str = ""
    exit_code: int = 0
    session_usage: Usage | None = None
    session_cost_usd: float | None = None


@frozen(kw_only=True)
class Notice(_Event):
    """Something a person should know: a warning, a hint, an error with its mend."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


SubAgentState: TypeAlias = Literal["queued", "working", "background", "completed", "failed", "stopped"]


@frozen(kw_only=True)
class SubAgentChanged(_Event):
    """A sub-agent began, went into the background, or ended; `agent` is its name, or its id.

    `kind` is its definition's name, or `fork`; `call` the id of the call that started it. At its end `text`
    is what it reports.
    """

    id: str
    kind: str
    description: str
    state: SubAgentState
    call: str = ""
    in_background: bool = False
    text: str = ""


@frozen(kw_only=True)
class TeamEvent(_Event):
    """Something happened in a team: the same record stands in the team's events.jsonl.

    `kind` is one of created, spawned, ready, idle, active, died, restarted, stopped, claimed, released,
    completed, task_created, task_updated, message_written, message_read, message_acted,
    permission_asked, permission_decided, permission_answered, merged, conflict, verified, landed,
    cleaned, budget, finished.
    """

    kind: str
    team: str
    member: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


Event: TypeAlias = (
    SessionStarted
    | PromptAdded
    | RequestStarted
    | AnswerDelta
    | RequestRetried
    | Answered
    | CallBegan
    | PermissionAsked
    | PermissionAnswered
    | CallDecided
    | CallFinished
    | RoomMade
    | RunEnded
    | Notice
    | SubAgentChanged
    | TeamEvent
)
