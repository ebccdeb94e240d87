"""Mends text that a server cut in the middle of a character.

JSON spells a character outside the basic plane as two escapes, and servers that count in UTF-16 send them in
two deltas. Each half alone can be neither printed nor stored.
"""

from __future__ import annotations

import re

_HALF = re.compile(r"[\ud800-\udfff]")
_FIRST_HALVES = ("\ud800", "\udbff")


class SurrogatePairs:
    """Holds a first half back until the second comes; a half that stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}

    def mend(self, stream: str, text: str) -> str:
        """The text of this delta of that stream that is whole."""
        held = self._held.pop(stream, "")
        if not held and (text.isascii() or not _HALF.search(text)):
            return text
        text = held + text
        if _FIRST_HALVES[0] <= text[-1:] <= _FIRST_HALVES[1]:
            text, self._held[stream] = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
