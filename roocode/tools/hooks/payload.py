"""What a hook is told of an event: JSON in Claude's shape with our own names beside it, and variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roocode.protocol.messages import Arguments, ToolCall
from roocode.security.permissions.names import FIELDS, canonical_fields
from roocode.tools.hooks.events import EventKind

_THEIR_NAMES = {
    "ReadFile": "Read",
    "WriteFile": "Write",
    "EditFile": "Edit",
    "AskUser": "AskUserQuestion",
    "LoadSkill": "Skill",
}
_THEIR_FIELDS = {
    **{key: {"path": "file_path"} for key in ("ReadFile", "WriteFile", "EditFile")},
    "LoadSkill": {"name": "skill", "arguments": "args"},
}
_RENAMED = {
    "stop_active": "stop_hook_active",
    "text": "last_assistant_message",
    "kind": "notification_type",
    "teammate": "teammate_name",
    "team": "team_name",
    "subject": "task_subject",
    "worktree": "worktree_path",
}
"""Our fields by the names that Claude's hooks know."""


def about_call(call: ToolCall, root: Path) -> dict[str, Any]:
    """The fields of an event about a call: its path relative to the root where it lies below it."""
    arguments = dict(call.arguments or {})
    fields: dict[str, Any] = {"tool": call.name, "input": arguments, "call_id": call.id}
    path = canonical_fields(call.name, arguments).get("path")
    if isinstance(path, str) and path and "\0" not in path:
        fields["path"] = _within(os.path.normpath(os.path.join(root, path)), root)
    return fields


def payload(kind: EventKind, fields: Mapping[str, Any], root: Path, transcript: str) -> dict[str, Any]:
    """The whole of what goes to a command or an address. `fields` include the common ones."""
    told: dict[str, Any] = {
        "session_id": fields["session"],
        "transcript_path": transcript,
        "cwd": fields["cwd"],
        "permission_mode": fields["mode"],
        "hook_event_name": kind.claude or kind.name,
        **{_RENAMED[name]: value for name, value in fields.items() if name in _RENAMED},
    }
    if fields.get("agent_type"):
        told |= {"agent_id": fields["agent"], "agent_type": fields["agent_type"]}
    if path := absolute_path(fields, root):
        told["file_path"] = path
    if "input" in fields:
        told |= _of_call(fields, root)
    return {**told, **{name: value for name, value in fields.items() if name not in told}}


def variables(
    kind: EventKind, fields: Mapping[str, Any], root: Path, project: Path, plugin: str
) -> dict[str, str]:
    """What a command has in its environment besides its agent's own."""
    path, tool = absolute_path(fields, root), str(fields.get("tool") or "")
    told = {
        "ROOCODE_PROJECT_DIR": str(project),
        "CLAUDE_PROJECT_DIR": str(project),
        "ROOCODE_HOOK_EVENT": kind.name,
        "ROOCODE_SESSION": str(fields["session"]),
        "ROOCODE_TOOL": tool,
        "TOOL_NAME": _THEIR_NAMES.get(tool, tool),
        "FILE_PATH": path,
        "CLAUDE_TOOL_FILE_PATH": path,
        "CLAUDE_FILE_PATHS": path,
    }
    if plugin:
        data = Path(plugin).parent / "data"
        told |= {f"{family}_PLUGIN_ROOT": plugin for family in ("CLAUDE", "ROOCODE")}
        told |= {f"{family}_PLUGIN_DATA": str(data) for family in ("CLAUDE", "ROOCODE")}
        told["PYTHONPYCACHEPREFIX"] = str(data / "pycache")
    return {name: value for name, value in told.items() if value and "\0" not in value}


def absolute_path(fields: Mapping[str, Any], root: Path) -> str:
    """The file that an event is about, "" where it is about none."""
    path = fields.get("path")
    return os.path.join(root, path) if isinstance(path, str) and path else ""


def rewritten(call: ToolCall, wanted: Arguments, root: Path) -> Arguments:
    """What a hook wants as input, in our spelling; a path that it was told absolutely is the same path."""
    ours = dict(canonical_fields(call.name, wanted))
    before = (call.arguments or {}).get("path")
    after = ours.get("path")
    if isinstance(before, str) and isinstance(after, str) and os.path.join(root, before) == after:
        ours["path"] = before
    return ours


def _of_call(fields: Mapping[str, Any], root: Path) -> dict[str, Any]:
    tool, arguments = str(fields["tool"]), fields["input"]
    names = _THEIR_FIELDS.get(tool, {})
    theirs = {names.get(FIELDS.get(key, key), key): value for key, value in arguments.items()}
    for key in ("file_path", "path"):
        if isinstance(theirs.get(key), str) and "\0" not in theirs[key]:
            theirs[key] = os.path.join(root, theirs[key])
    told = {
        "tool_name": _THEIR_NAMES.get(tool, tool),
        "tool_input": theirs,
        "tool_use_id": fields.get("call_id", ""),
    }
    if "output" in fields:
        path = absolute_path(fields, root)
        response = {"content": fields["output"], "success": True}
        told["tool_response"] = {**response, "filePath": path} if path else response
    return told


def _within(path: str, root: Path) -> str:
    return os.path.relpath(path, root) if Path(path).is_relative_to(root) else path
