"""A hook in one line."""

from __future__ import annotations

from roocode.protocol.brevity import in_brief
from roocode.tools.hooks.hook import Hook

_LONGEST = 100


def described(hook: Hook) -> str:
    """What a hook does, in one line."""
    action = hook.action
    words = action.tool if action.kind == "require_tool" else " ".join((action.text, *(action.args or ())))
    return f"{action.kind}: {in_brief(words, _LONGEST)}"
