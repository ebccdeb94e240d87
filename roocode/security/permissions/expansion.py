"""Which paths the wildcards of a shell line or of a search stand for: rather too many than too few."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from itertools import islice

MOST = 1000
_WILD = frozenset("*?[")
_MOST_SPELLINGS = 256
_INNERMOST_BRACES = re.compile(r"\{([^{}]*)\}")
_DISGUISES = re.compile(r"\\(.)|\[([^\]!^])\]", re.DOTALL)


def expanded(path: str) -> tuple[str, ...] | None:
    """The path itself, and all that its wildcards match as Bash reads them; None where that is too many.

    A bracket counts as any one character; leading dots are matched by dots alone, and `**` as `*`.
    """
    if not _WILD & set(path):
        return (path,)
    found = tuple(islice(glob.iglob("".join(_widened(path))), MOST + 1))
    return (path, *found) if len(found) <= MOST else None


def plain_spellings(pattern: str) -> tuple[str, ...]:
    """A search's pattern for every choice of its braces, escapes and classes of one character taken out.

    `/` is added where the braces give more choices than are looked at: they may reach anything.
    """
    found = [pattern.removeprefix("!")]
    for spelling in found:
        braces = _INNERMOST_BRACES.search(spelling)
        if braces and len(found) > _MOST_SPELLINGS:
            found.append("/")
            break
        if braces:
            before, after = spelling[: braces.start()], spelling[braces.end() :]
            found.extend(f"{before}{choice}{after}" for choice in braces[1].split(","))
    return tuple(_DISGUISES.sub(r"\1\2", spelling) for spelling in found)


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
