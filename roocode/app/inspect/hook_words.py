"""A hook in one line."""

from __future__ import annotations

from roocode.tools.hooks.hook import Hook

_LONGEST = 100


def described(hook: Hook) -> str:
    """What a hook does, in one line."""
    action = hook.action
    words = action.tool if action.kind == "require_tool" else " ".join((action.text, *(action.args or ())))
    line = " ".join(words.split())
    return f"{action.kind}: {line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}"
