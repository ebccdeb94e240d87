"""Whether a call is what a permission rule is about, command by command: `if` of Claude's hooks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roocode.protocol.tools import Workspace
from roocode.security.permissions.decide import examine
from roocode.security.permissions.matching import restricts
from roocode.security.permissions.names import canonical, canonical_fields, presumed_touches
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule
from roocode.tools.hooks.running import Ground


def is_about(rule: str, fields: Mapping[str, Any], ground: Ground) -> bool:
    """Whether the rule is about the call of an event, as a deny rule would be: any part of it counts."""
    tool = canonical(str(fields.get("tool") or ""))
    arguments = canonical_fields(tool, fields.get("input") or {})
    home = Path(ground.env.get("HOME") or os.path.expanduser("~"))
    workspace = pinned(Workspace(root=ground.root))
    examined = examine(tool, arguments, presumed_touches(tool, arguments), Policy(home=home), workspace)
    parsed = parse_rule(rule, "deny", "user", base=str(ground.root))
    return restricts(parsed, examined, examined.subjects)
