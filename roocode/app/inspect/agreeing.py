"""Asks a person at a terminal for a yes to what was just shown."""

from __future__ import annotations

import sys

from roocode.protocol.errors import UsageError


def agreed(question: str) -> bool:
    """Whether the person said yes; raises UsageError where there is nobody to ask."""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on", "look at the above, then add --yes")
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
