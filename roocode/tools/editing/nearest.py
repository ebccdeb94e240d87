"""Shows where in a file a passage nearly stands, so that the next edit hits. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from unicodedata import is_normalized, normalize

from roocode.tools.clip import cut_line
from roocode.tools.editing.whitespace import bare

_SHOWN_LINES = 12
_LINE_LIMIT = 200
_COMPARED_LINES = 5000
_COMPARED_WIDTH = 300


def nearest(text: str, passage: str) -> str:
    """The lines of `text` that are most like `passage`, numbered, and the first one that differs.

    Empty where nothing is like it.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    wanted = passage.replace("\r\n", "\n").strip("\n").split("\n")
    start = _best_start(lines, wanted)
    if start is None:
        return ""
    end = min(len(lines), start + min(len(wanted), _SHOWN_LINES))
    shown = "\n".join(f"{i + 1:6}\t{cut_line(lines[i], _LINE_LIMIT)}" for i in range(max(0, start), end))
    return f"The most similar lines are:\n{shown}{_first_difference(lines, wanted, start)}"


def _best_start(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where `wanted` would begin: most of its lines by weight are at their places, or one is alike."""
    places: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        places.setdefault(bare(line), []).append(i)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(map(bare, wanted)):
        for place in places.get(line, ()) if line else ():
            votes[place - offset] += len(line)
    if votes:
        return max(votes, key=lambda start: (votes[start], -start))
    return _alike(lines, wanted)


def _alike(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    compared = [bare(line)[:_COMPARED_WIDTH] for line in lines[:_COMPARED_LINES]]
    longest = max(range(len(wanted)), key=lambda i: len(bare(wanted[i])))
    close = get_close_matches(bare(wanted[longest])[:_COMPARED_WIDTH], compared, n=1, cutoff=0.6)
    return compared.index(close[0]) - longest if close else None


def _first_difference(lines: Sequence[str], wanted: Sequence[str], start: int) -> str:
    for offset, line in enumerate(wanted):
        there = lines[start + offset] if 0 <= start + offset < len(lines) else None
        if there is None:
            return "\nold_string goes beyond the file there."
        if there != line:
            asked = cut_line(line, _LINE_LIMIT)
            how = _same_looks(there, line)
            return f"\nLine {start + offset + 1} differs{how}: old_string has there:\n      \t{asked}"
    return ""


def _same_looks(there: str, asked: str) -> str:
    """How two lines that look alike differ."""
    if bare(there) == bare(asked):
        return " in whitespace"
    if normalize("NFC", there) == normalize("NFC", asked):
        kind = "composed" if is_normalized("NFC", there) else "decomposed"
        return f" in Unicode form only, the file's letters are {kind} (take lines around them)"
    return ""
