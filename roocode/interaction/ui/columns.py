"""How wide text is on a terminal, and where to cut it: pure."""

from __future__ import annotations

import unicodedata

TAB = "    "


def columns(text: str) -> int:
    """The columns that a line takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(_columns_of(character) for character in text)


def cut(text: str, width: int) -> str:
    """The line, cut to `width` columns with `…` as its last one; tabs become blanks."""
    text = text.replace("\t", TAB)
    if columns(text) <= width:
        return text
    room, kept = width - 1, []
    for character in text:
        room -= _columns_of(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…" if width > 0 else ""


def wrapped(text: str, width: int) -> list[str]:
    """The line in pieces of at most `width` columns, broken behind a blank where one is near; all of it."""
    text, width = text.replace("\t", TAB), max(width, 2)
    pieces, start = [], 0
    while (end := _fitting(text, start, width)) < len(text):
        at = text.rfind(" ", (start + end) // 2, end) + 1 or end
        pieces.append(text[start:at])
        start = at
    return [*pieces, text[start:]]


def padded(text: str, width: int) -> str:
    """The line with blanks behind it, `width` columns wide."""
    return text + " " * (width - columns(text))


def _fitting(text: str, start: int, width: int) -> int:
    """Where a line that begins at `start` ends if it may be `width` columns wide, two at least."""
    if text.isascii():
        return min(start + width, len(text))
    room = width
    for index in range(start, len(text)):
        room -= _columns_of(text[index])
        if room < 0:
            return index
    return len(text)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 1 if character == "\ufe0f" else 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
