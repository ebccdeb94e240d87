"""Which files the wildcards of a shell line stand for: looked up on disk, rather too many than too few."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from itertools import islice

MOST = 1000
_WILD = frozenset("*?[")


def expanded(path: str) -> tuple[str, ...] | None:
    """The path itself, and all that its wildcards match as Bash reads them; None where that is too many.

    A bracket counts as any one character; leading dots are matched by dots alone, and `**` as `*`.
    """
    if not _WILD & set(path):
        return (path,)
    found = tuple(islice(glob.iglob("".join(_widened(path))), MOST + 1))
    return (path, *found) if len(found) <= MOST else None


def _widened(path: str) -> Iterator[str]:
    index = 0
    while index < len(path):
        end = _end_of_bracket(path, index)
        yield "?" if end > index else path[index]
        index = max(end, index) + 1


def _end_of_bracket(path: str, start: int) -> int:
    """The index of the bracket's end, or -1 where none begins; `[[:alpha:]]` and `[]a]` are one bracket."""
    if path[start] != "[":
        return -1
    index = start + 1 + (path[start + 1 : start + 2] in ("!", "^"))
    index += path[index : index + 1] == "]"
    while index < len(path) and path[index] not in "]/":
        end_of_class = path.find(":]", index) if path.startswith("[:", index) else -1
        index = max(end_of_class + 1, index) + 1
    return index if index < len(path) and path[index] == "]" else -1
