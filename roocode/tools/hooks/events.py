"""The events that a hook can wait for: their names here and in Claude's files, and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roocode.protocol.frozen import frozen

COMMON: Final = ("event", "session", "cwd", "mode", "agent", "agent_type")
"""Fields of every event. `agent` is the agent's id, `agent_type` the definition of a sub-agent."""

FREE: Final = frozenset({"input"})
"""Fields that hold further ones of any name."""

PATHS: Final = frozenset({"path", "cwd", "worktree"})
"""Fields that are paths, so that `matches` compares them part by part."""

MODEL: Final = "model"
_CALL = ("tool", "input", "path", "call_id")


@frozen
class EventKind:
    """One kind of event.

    `claude` is its name in Claude's files, "" where they have none; `fields` are those beside COMMON.
    `matched` is the field that a matcher of theirs is about. `blocks` says what a hook can keep from
    happening, "" where it is too late for that. `text_counts`: what a command prints as plain text is told to
    the model, in their files too.
    """

    name: str
    claude: str
    fields: tuple[str, ...]
    matched: str = ""
    blocks: str = ""
    text_counts: bool = False


_KINDS = (
    EventKind("session_start", "SessionStart", ("source", "model"), "source", text_counts=True),
    EventKind("session_end", "SessionEnd", ("reason",), "reason"),
    EventKind("user_prompt_submit", "UserPromptSubmit", ("prompt",), blocks="the prompt", text_counts=True),
    EventKind("before_turn", "", ("prompt",)),
    EventKind("after_turn", "", ("end", "reason", "text", "turns")),
    EventKind("pre_tool_use", "PreToolUse", _CALL, "tool", blocks="the call"),
    EventKind("post_tool_use", "PostToolUse", (*_CALL, "output", "duration_ms"), "tool"),
    EventKind("post_tool_use_failure", "PostToolUseFailure", (*_CALL, "error", "duration_ms"), "tool"),
    EventKind(
        "permission_asked", "PermissionRequest", (*_CALL, "reason", "layer"), "tool", blocks="the call"
    ),
    EventKind("permission_denied", "PermissionDenied", (*_CALL, "reason", "layer"), "tool"),
    EventKind("before_model", "", ("model", "messages")),
    EventKind("after_model", "", ("model", "text", "calls")),
    EventKind("before_compaction", "PreCompact", ("trigger", "messages"), "trigger"),
    EventKind("after_compaction", "PostCompact", ("trigger", "kind", "before", "after"), "trigger"),
    EventKind("subagent_start", "SubagentStart", ("prompt",), "agent_type", text_counts=True),
    EventKind("subagent_stop", "SubagentStop", ("text", "stop_active"), "agent_type", blocks="its end"),
    EventKind("teammate_idle", "TeammateIdle", ("team", "teammate", "reason")),
    EventKind("task_created", "TaskCreated", ("team", "teammate", "task_id", "subject")),
    EventKind("task_completed", "TaskCompleted", ("team", "teammate", "task_id", "subject")),
    EventKind("worktree_created", "WorktreeCreate", ("team", "teammate", "worktree", "branch")),
    EventKind("worktree_removed", "WorktreeRemove", ("team", "teammate", "worktree", "branch")),
    EventKind("stop", "Stop", ("text", "stop_active"), blocks="the final answer"),
    EventKind("notification", "Notification", ("message", "level", "kind"), "kind"),
    EventKind("file_changed", "FileChanged", ("path", "tool", "change"), "path"),
)
EVENTS: Final[Mapping[str, EventKind]] = {kind.name: kind for kind in _KINDS}
BY_CLAUDE: Final[Mapping[str, EventKind]] = {kind.claude: kind for kind in _KINDS if kind.claude}

ABOUT_CALLS: Final = frozenset(kind.name for kind in _KINDS if set(_CALL) <= set(kind.fields))
FINAL: Final = frozenset({"stop", "subagent_stop"})


def event_named(name: str) -> EventKind | None:
    """The event of a name, ours or Claude's."""
    return EVENTS.get(name) or BY_CLAUDE.get(name)


def fields_of(kind: EventKind) -> tuple[str, ...]:
    """All fields of an event."""
    return (*COMMON, *kind.fields)
