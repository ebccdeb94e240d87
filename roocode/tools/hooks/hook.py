"""A hook: when it fires, if what holds, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.tools.hooks.conditions import Condition, tool_names
from roocode.tools.hooks.events import EventKind
from roocode.tools.hooks.linear import Pattern

ActionKind: TypeAlias = Literal[
    "command", "http", "prompt", "hint", "block", "require_tool", "block_final", "stop", "agent"
]


@frozen
class Action:
    """What a hook does. `text` is its command, URL, words or question; `tool` what `require_tool` wants.

    With `args` a command is a program that is started without a shell. `alone`: `agent` judges by one
    request, without tools.
    """

    kind: ActionKind
    text: str = ""
    args: tuple[str, ...] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    tool: str = ""
    model: str = ""
    alone: bool = False

    @property
    def runs(self) -> bool:
        """Whether it does something outside of this process, which may fail or take long."""
        return self.kind in ("command", "http", "agent")


@frozen
class Matcher:
    """What a matcher of Claude's files takes: everything, one of some names, or what a pattern fits."""

    names: frozenset[str] = frozenset()
    pattern: Pattern | None = None

    def takes(self, value: str, *, is_tool: bool) -> bool:
        """Whether it takes a value; a tool has several names."""
        if not self.names and self.pattern is None:
            return True
        values = tool_names(value) if is_tool else (value, value.rpartition("/")[2])
        if self.pattern is None:
            return any(each in self.names for each in values)
        return any(self.pattern.found_in(each) for each in values)


@frozen
class Hook:
    """One hook. `source` is where it stands; `rule` is a permission rule that a call must be about.

    `waits` is false where nobody waits for it (`async`). With `strict` it blocks what it guards when it
    fails. `foreign`: it comes from a file for Claude; `own`: it stands in the person's own files, not in a
    project's; `plugin` is the directory of the plugin that it is of.
    """

    name: str
    kind: EventKind
    action: Action
    source: str
    condition: Condition | None = None
    matcher: Matcher = field(default_factory=Matcher)
    rule: str = ""
    timeout_s: float = 600.0
    waits: bool = True
    once: bool = False
    strict: bool = False
    foreign: bool = False
    own: bool = False
    plugin: str = ""

    def fits(self, fields: Mapping[str, Any]) -> bool:
        """Whether matcher and condition hold for an event of its kind; its `rule` is for others to judge."""
        matched = self.kind.matched
        if not self.matcher.takes(str(fields.get(matched, "")) if matched else "", is_tool=matched == "tool"):
            return False
        return self.condition is None or self.condition.holds(fields)
