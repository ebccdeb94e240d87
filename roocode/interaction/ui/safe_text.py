"""Text of models, tools and repositories made safe to show: pure."""

from __future__ import annotations

import re
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

MOST_BLANKS, MOST_INDENT, MOST_EMPTY = 12, 60, 3
"""Up to so many blanks in a row, at the start of a line, and empty lines are shown as they are."""
_BLANKS = re.compile(rf"\s{{{MOST_BLANKS + 1},}}")


def visible(text: str) -> str:
    """The text with control, bidirectional and unseen characters as escapes: for what is approved by eye."""
    return _with_escapes(text, LAYOUT)


def judged(text: str) -> str:
    """Like `visible`, for what a person reads before saying yes: long runs of blanks are counted, not shown.

    So that nothing can be pushed out of sight; indentation of code stays.
    """
    lines = visible(text).split("\n")
    kept: list[str] = []
    empty = 0
    for line in [*map(_counted, lines), None]:
        if line is not None and not line.strip():
            empty += 1
            continue
        if empty:
            kept.extend([""] * empty if empty <= MOST_EMPTY else [f"⟨{empty} empty lines⟩"])
            empty = 0
        if line is not None:
            kept.append(line)
    return "\n".join(kept)


def prose(text: str) -> str:
    """The same for what is only read: the joiners of words and emoji stay."""
    return _with_escapes(text, LAYOUT + JOINERS)


def _counted(line: str) -> str:
    return _BLANKS.sub(_count, line) if len(line) > MOST_BLANKS else line


def _count(found: re.Match[str]) -> str:
    count = len(found.group())
    indents = found.start() == 0 and count <= MOST_INDENT and found.end() < len(found.string)
    return found.group() if indents else f" ⟨{count} blanks⟩ "


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
