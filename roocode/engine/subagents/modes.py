"""The tighter of two permission modes. Pure."""

from __future__ import annotations

from roocode.protocol.decisions import Mode

_FROM_TIGHT_TO_WIDE: tuple[Mode, ...] = ("plan", "dontAsk", "default", "acceptEdits", "bypassPermissions")


def tighter(parent: Mode, wanted: Mode | None) -> Mode:
    """What a sub-agent works under: its parent's mode, or its own where that allows less."""
    if wanted is None:
        return parent
    return min(parent, wanted, key=_FROM_TIGHT_TO_WIDE.index)
