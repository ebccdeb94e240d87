"""Numbers in words, as programs read them."""

from __future__ import annotations

_MOST_DIGITS = 9


def natural(text: str) -> int | None:
    """The number that a text of a few ASCII digits is, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
