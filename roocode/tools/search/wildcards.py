"""Path patterns with `*`, `?`, `[…]`, `{a,b}` and `**`, matched in time linear in pattern and path. Pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

_MOST_ALTERNATIVES = 200
_MAGIC = frozenset("*?[{\\")


def matches(pattern: str, path: str) -> bool:
    """Whether a whole relative path, with `/` between its parts, fits a pattern: `**` is any parts."""
    parts = path.split("/")
    return any(_fits(_compiled(alternative), parts) for alternative in alternatives(pattern))


def alternatives(pattern: str) -> tuple[str, ...]:
    """A pattern with its braces multiplied out, at most 200 of them; unbalanced braces are literal."""
    return tuple(islice(_alternatives(pattern), _MOST_ALTERNATIVES))


def _alternatives(pattern: str) -> Iterator[str]:
    opened = _braces(pattern)
    if opened is None:
        yield pattern
        return
    start, commas, end = opened
    borders = [start, *commas, end]
    for left, right in pairwise(borders):
        yield from _alternatives(pattern[:start] + pattern[left + 1 : right] + pattern[end + 1 :])


def _braces(pattern: str) -> tuple[int, list[int], int] | None:
    """The first balanced braces that hold a comma: where they open, their commas, where they close."""
    depth, start, commas = 0, 0, list[int]()
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
        elif character == "{":
            if depth == 0:
                start, commas = position, []
            depth += 1
        elif character == "," and depth == 1:
            commas.append(position)
        elif character == "}" and depth:
            depth -= 1
            if depth == 0 and commas:
                return start, commas, position
        position += 1
    return None


def split_base(pattern: str) -> tuple[str, str]:
    """The directory that a pattern begins with, and the rest with wildcards: `src/*.py` → `src`, `*.py`."""
    parts = pattern.split("/")
    fixed = next((i for i, part in enumerate(parts) if _MAGIC.intersection(part)), len(parts) - 1)
    fixed = min(fixed, len(parts) - 1)
    base = "/".join(parts[:fixed])
    return ("/" if pattern.startswith("/") and not base else base), "/".join(parts[fixed:])


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    """One expression a part; None for `**`."""
    return tuple(None if part == "**" else part_expression(part) for part in pattern.split("/"))


@lru_cache(maxsize=2048)
def part_expression(part: str) -> re.Pattern[str]:
    """The expression for one part of a path; `fnmatch` makes it one that never backtracks far."""
    return re.compile(fnmatch.translate(_for_fnmatch(part)))


def _for_fnmatch(part: str) -> str:
    """With `[^…]` as `[!…]` and `\\x` as `[x]`."""
    pieces: list[str] = []
    position = 0
    while position < len(part):
        character = part[position]
        if character == "\\" and position + 1 < len(part):
            position += 1
            pieces.append(f"[{part[position]}]" if part[position] in "*?[" else part[position])
        elif character == "[" and (end := _bracket_end(part, position)):
            inside = part[position + 1 : end]
            pieces.append(f"[!{inside[1:]}]" if inside.startswith("^") else f"[{inside}]")
            position = end
        else:
            pieces.append(character)
        position += 1
    return "".join(pieces)


def _bracket_end(part: str, start: int) -> int:
    """Where the bracket expression closes; 0 where it does not."""
    first = start + 1 + (part[start + 1 : start + 2] in ("!", "^"))
    return max(0, part.find("]", first + 1))


def _fits(pattern: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> bool:
    """Greedy match with a step back to the last `**` only, which is all it takes."""
    at, here = 0, 0
    resume: tuple[int, int] | None = None
    while here < len(parts):
        wanted = pattern[at] if at < len(pattern) else None
        if at < len(pattern) and wanted is None:
            resume = (at + 1, here)
            at += 1
        elif wanted is not None and wanted.match(parts[here]):
            at += 1
            here += 1
        elif resume is not None:
            at, here = resume[0], resume[1] + 1
            resume = (at, here)
        else:
            return False
    return all(rest is None for rest in pattern[at:])
