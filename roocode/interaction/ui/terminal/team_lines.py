"""One line for what happens in a team. Pure."""

from __future__ import annotations

from roocode.interaction.ui.safe_text import on_one_line
from roocode.interaction.ui.terminal.blocks import notice
from roocode.protocol.events import TeamEvent

WORDS = {
    "created": "team {team}: working on {branch}, from {base}",
    "spawned": "{member} starts ({backend})",
    "died": "{member} died: {reason}",
    "restarted": "{member} was started again",
    "idle": "{member} is idle",
    "claimed": "{member} takes task {task}: {subject}",
    "completed": "{member} completed task {task}: {subject}",
    "released": "task {task} is free again: {reason}",
    "merged": "merged {member}: {commit}",
    "conflict": "merging {member} conflicts in {paths}",
    "verified": "verify `{command}`: exit code {exitCode}",
    "budget": "{reason}: the members hand over",
    "landed": "{branch} is at {commit}",
    "cleaned": "team {team} is cleaned up",
}
LEVELS = {"died": "warning", "conflict": "warning", "budget": "warning"}


class _Known(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "?"


def team_line(event: TeamEvent) -> str:
    """The line of an event, or nothing for events that a person need not see."""
    words = WORDS.get(event.kind)
    if words is None:
        return ""
    detail = {key: _listed(value) for key, value in event.detail.items()}
    known = _Known({"team": event.team, "member": event.member, **detail})
    return notice(f"◆ {words.format_map(known)}", LEVELS.get(event.kind, "info"))


def _listed(value: object) -> object:
    """One line, whatever a member has written: it must not look like lines of ours."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return on_one_line(text) if isinstance(text, str) else text
