"""What a change looks like to a person."""

from __future__ import annotations

from difflib import unified_diff

from roocode.tools.text import sendable


def unified(before: str, after: str, path: str) -> str:
    """A unified diff of two texts; line endings do not show in it, and bytes that are no text are U+FFFD."""
    old, new = before.replace("\r\n", "\n").split("\n"), after.replace("\r\n", "\n").split("\n")
    return sendable("\n".join(unified_diff(old, new, path, path, lineterm="")))
