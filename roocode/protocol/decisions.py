"""What the guard says of a call, and what is asked of a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen

Verdict: TypeAlias = Literal["allow", "ask", "deny"]
Mode: TypeAlias = Literal["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"]
Layer: TypeAlias = Literal["dangerous", "sandbox", "rules", "mode", "person"]
Level: TypeAlias = Literal["safe", "modify", "danger", "blocked"]

MODES: tuple[Mode, ...] = ("default", "acceptEdits", "plan", "bypassPermissions", "dontAsk")


@frozen
class Decision:
    """A verdict with the layer, rule, source (file and line, or tier) and reason that gave it.

    `rule` is the rule's text and `source` where it stands ("~/.roocode/config.yaml:12"); both are empty
    where no rule decided.
    """

    verdict: Verdict
    layer: Layer
    reason: str
    rule: str = ""
    source: str = ""
    level: Level = "modify"

    @property
    def granted(self) -> bool:
        """Whether a rule or a person allowed it, not merely the mode."""
        return self.verdict == "allow" and self.layer in ("rules", "person")


@frozen
class PermissionQuestion:
    """An open question to a person, about exactly one call.

    `digest` binds an answer to this text; `proposals` are rules that "always allow" would store.
    """

    id: str
    agent: str
    tool: str
    input: Mapping[str, Any]
    preview: str
    reason: str
    layer: Layer
    digest: str
    proposals: tuple[str, ...] = ()


@frozen
class PermissionAnswer:
    """A person's answer, or a policy's where nobody can be asked.

    `scope`: this call only, byte-exact repeats in this session, or always (the proposals are stored).
    """

    allowed: bool
    scope: Literal["once", "session", "always"] = "once"
    reason: str = ""
    by: Literal["person", "policy"] = "person"
