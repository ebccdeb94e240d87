"""Text of models, tools and repositories made safe to show: pure."""

from __future__ import annotations

import re
import unicodedata

LAYOUT = "\n\t"
JOINERS = frozenset("\u200c\u200d")
SELECTORS = frozenset("\ufe0e\ufe0f")
"""Joiners and selectors belong inside words of some scripts and inside emoji; they are unseen elsewhere."""
UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Printable by their category, but with nothing to see."""

MOST_BLANKS, MOST_INDENT, MOST_EMPTY = 12, 60, 3
"""Up to so many blanks in a row, at the start of a line, and empty lines are shown as they are."""
_BLANKS = re.compile(rf"\s{{{MOST_BLANKS + 1},}}")


def visible(text: str) -> str:
    """The text with control, bidirectional and unseen characters as escapes: for what is approved by eye."""
    return text if _is_plain(text) else "".join(map(_shown, text))


def on_one_line(text: str) -> str:
    """The same without line ends and runs of blanks: for a place that has one line."""
    return " ".join(visible(text).split())


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
    """As `visible`, for what is only read: what joins letters of a word or parts of an emoji stays."""
    if _is_plain(text):
        return text
    return "".join(character if _joins(text, at) else _shown(character) for at, character in enumerate(text))


def spelled_out(text: str) -> str:
    """As `visible`, with the escapes of JSON: in a JSON text they stand for the same characters as before."""
    if _is_plain(text):
        return text
    return "".join(
        character if character in LAYOUT or _is_seen(character) else _as_json(character) for character in text
    )


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


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _shown(character: str) -> str:
    if character in LAYOUT or _is_seen(character):
        return character
    return character.encode("unicode_escape").decode("ascii")


def _as_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _joins(text: str, at: int) -> bool:
    """Whether the character at `at` is a joiner or selector in its place: one, and behind what it is for."""
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if character in SELECTORS:
        return bool(before) and (_is_picture(before) or before in "0123456789#*")
    if character in JOINERS:
        if before in SELECTORS:
            before = text[at - 2 : at - 1]
        return bool(before and after) and (
            (_is_picture(before) and _is_picture(after)) or (_is_joined(before) and _is_joined(after))
        )
    return False


def _is_picture(character: str) -> bool:
    """An emoji or another symbol; skin tones are modifiers of one."""
    is_symbol = unicodedata.category(character) in ("So", "Sk", "Sm", "Po")
    return character >= "\u00a9" and (is_symbol or "\u2100" <= character <= "\u214f")


def _is_joined(character: str) -> bool:
    """A letter or mark of a script that has no capitals, as those that use joiners."""
    return unicodedata.category(character) in ("Lo", "Mn", "Mc")


def _is_seen(character: str) -> bool:
    if character in UNSEEN:
        return False
    return character.isprintable() or unicodedata.category(character) == "Zs"
