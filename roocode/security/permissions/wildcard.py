"""Text with stars: `*` stands for any text, `\\*` for a star. A plain scan, without regular expressions."""

from __future__ import annotations

from functools import lru_cache


def like(pattern: str, text: str) -> bool:
    """Whether the whole text fits the pattern, case included."""
    pieces = _pieces(pattern)
    if len(pieces) == 1:
        return text == pieces[0]
    first, *middle, last = pieces
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def literal(text: str) -> str:
    """The pattern that fits exactly this text."""
    return text.replace("\\", "\\\\").replace("*", "\\*")


@lru_cache(maxsize=1024)
def _pieces(pattern: str) -> tuple[str, ...]:
    """The text between the stars, escapes taken out."""
    pieces = [""]
    characters = iter(pattern)
    for character in characters:
        if character == "*":
            pieces.append("")
            continue
        if character == "\\":
            following = next(characters, "")
            character = following if following in ("*", "\\") else character + following
        pieces[-1] += character
    return tuple(pieces)
