"""What a change looks like to a person."""

from __future__ import annotations

from difflib import unified_diff

from roocode.tools.text import sendable


def unified(before: str, after: str, path: str) -> str:
    """A unified diff of two texts; line endings do not show in it, and bytes that are no text are U+FFFD."""
    return sendable("\n".join(unified_diff(_lines(before), _lines(after), path, path, lineterm="")))


def _lines(text: str) -> list[str]:
    *lines, rest = text.replace("\r\n", "\n").split("\n")
    return [*lines, f"{rest}\n\\ No newline at end of file"] if rest else lines
