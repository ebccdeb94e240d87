"""What a change looks like to a person."""

from __future__ import annotations

from difflib import unified_diff


def unified(before: str, after: str, path: str) -> str:
    """A unified diff of two texts; line endings do not show in it."""
    old, new = before.replace("\r\n", "\n").split("\n"), after.replace("\r\n", "\n").split("\n")
    return "\n".join(unified_diff(old, new, path, path, lineterm=""))
