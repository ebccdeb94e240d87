"""Text of models, tools and repositories made safe to show: pure."""

from __future__ import annotations

import unicodedata

LAYOUT = "\n\t"
JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""Needed inside words of some scripts and inside emoji; invisible anywhere else."""
UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Printable by their category, but with nothing to see."""


def visible(text: str) -> str:
    """The text with control, bidirectional and unseen characters as escapes: for what is approved by eye."""
    return _with_escapes(text, LAYOUT)


def prose(text: str) -> str:
    """The same for what is only read: the joiners of words and emoji stay."""
    return _with_escapes(text, LAYOUT + JOINERS)


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, so that it can be encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _with_escapes(text: str, kept: str) -> str:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        character
        if character in kept or _is_seen(character)
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _is_seen(character: str) -> bool:
    if character in UNSEEN:
        return False
    return character.isprintable() or unicodedata.category(character) == "Zs"
