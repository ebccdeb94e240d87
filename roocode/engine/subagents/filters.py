"""Which of its parent's tools an agent may call: four filters in order, each only takes away. Pure.

The tools of MCP servers (`mcp__server__tool`) are in none of the fixed lists: they pass all but the last
filter, in the background too, since a server that a person configured is no less theirs there.
"""

from __future__ import annotations

from collections.abc import Iterable

from roocode.engine.subagents.definition import AgentDefinition
from roocode.security.permissions.matching import covers_tool

NEVER = frozenset({"Agent", "AskUser", "TaskStop", "MergeTeammate"})
"""No agent starts agents, asks the person, stops others or merges: those are its parent's."""
NOT_CUSTOM = frozenset({"ExitPlanMode"})
"""Nor does one that a person or a project has defined end plan mode."""
BACKGROUND = (
    "ReadFile", "WriteFile", "EditFile", "Glob", "Grep", "Bash", "TodoWrite", "WebFetch", "LoadSkill",
    "ToolSearch", "SendMessage",
)  # fmt: skip
"""All that one may have that nobody watches."""


def allowed(names: Iterable[str], definition: AgentDefinition, *, background: bool) -> tuple[str, ...]:
    """Those tools that are left, in their order."""
    left = [name for name in names if name not in NEVER]
    if definition.custom:
        left = [name for name in left if name not in NOT_CUSTOM]
    if background:
        left = [name for name in left if in_background(name)]
    return tuple(name for name in left if _is_given(name, definition))


def in_background(name: str) -> bool:
    """Whether an agent in the background may have this tool."""
    return name in BACKGROUND or name.startswith("mcp__")


def _is_given(name: str, definition: AgentDefinition) -> bool:
    """A tool that is barred for some inputs alone stays: the guard tells those apart."""
    if any("(" not in rule and _names(rule, name) for rule in definition.disallowed):
        return False
    if definition.tools is None:
        return True
    return any(_names(rule.partition("(")[0], name) for rule in definition.tools)


def _names(rule: str, name: str) -> bool:
    """Whether a rule's tool is this one: by name, by `*`, or by its server."""
    return rule == name or ((rule.startswith("mcp__") or "*" in rule) and covers_tool(rule, name))


def rules(definition: AgentDefinition) -> tuple[str, ...] | None:
    """The allow rules that hold its calls, where its list of tools has patterns; None where names are all."""
    listed = definition.tools
    return listed if listed is not None and any("(" in rule for rule in listed) else None
