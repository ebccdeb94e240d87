"""What a removal would take, and where a move would go astray: told from the disk, with bounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.programs import base_name, names
from roocode.security.permissions.subjects import Examined, Program, Spot

MOST_ENTRIES = 10_000
"""How many entries are counted; what holds more is said to hold more."""

_RECURSIVE = frozenset({"-r", "-R", "--recursive"})
_REMOVERS = names("rm grm srm rimraf trash trash-put")
_MOVERS = names("mv gmv cp gcp")
_UNITS = ("bytes", "KB", "MB", "GB", "TB")


@frozen
class Held:
    """What a directory holds; `whole` is false where counting stopped before the end."""

    entries: int
    size: int
    whole: bool = True

    def __str__(self) -> str:
        more = "" if self.whole else "more than "
        noun = "entry" if self.entries == 1 else "entries"
        return f"{more}{self.entries:,} {noun}, {more}{_readable(self.size)}"


def losses(call: Examined) -> Iterator[str]:
    """Directories that would be removed with what they hold, and targets that are no directories."""
    made: set[str] = set()
    for program in call.programs:
        words = program.part.words
        name = base_name(words[0]) if words else ""
        if name in _REMOVERS and _is_recursive(words[1:]):
            yield from _removed(program, call.ground.root)
        elif name in _MOVERS:
            yield from _astray(program, call.ground.root, made)
        made.update(spot.place.real for spot in program.writes)


def held(directories: Iterable[str], most: int = MOST_ENTRIES) -> Held:
    """Counts entries and bytes below directories, links not followed, up to `most` entries."""
    entries = size = 0
    pending = list(directories)
    while pending:
        try:
            found = os.scandir(pending.pop())
        except OSError:
            continue
        with found:
            for entry in found:
                if entries == most:
                    return Held(entries, size, whole=False)
                entries += 1
                try:
                    size += entry.stat(follow_symlinks=False).st_size
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                except OSError:
                    continue
    return Held(entries, size)


def _removed(program: Program, root: str) -> Iterator[str]:
    """One line a directory, or one for all where there are several."""
    found = [spot for spot in program.writes if spot.place.kind == "directory" and not spot.place.links]
    if len(found) == 1:
        inside = held([found[0].place.real])
        yield f"{_shown(found[0], root)} {f'holds {inside}' if inside.entries else 'is empty'}"
    elif found:
        yield f"{len(found)} directories hold {held(spot.place.real for spot in found)}"


def _astray(program: Program, root: str, made: set[str]) -> Iterator[str]:
    """A row of files, or a name that ends in a slash, needs a directory that is there (gemini-cli#4586)."""
    words = program.part.words
    operands = [word for word in words[1:] if not word.startswith("-")]
    word = _named_target(words) or (operands[-1] if len(operands) > 1 else "")
    target = _spot_of(word, program.writes)
    if target is None or target.place.kind == "directory" or target.place.real in made:
        return
    moved = [spot for spot in (*program.reads, *program.writes) if spot != target]
    if word.endswith("/") or len(moved) > 1 or _named_target(words):
        what = "does not exist" if target.place.kind == "missing" else "is not a directory"
        yield f"{_shown(target, root)} {what}: {words[0]} needs a directory there"


def _named_target(words: Sequence[str]) -> str:
    """The directory of `-t DIR` and its spellings."""
    for index, word in enumerate(words):
        if word in ("-t", "--target-directory") and index + 1 < len(words):
            return words[index + 1]
        if word.startswith("--target-directory="):
            return word.partition("=")[2]
    return ""


def _spot_of(word: str, spots: Sequence[Spot]) -> Spot | None:
    ending = f"/{os.path.normpath(word).lstrip('./')}"
    ends = (spot for spot in reversed(spots) if spot.place.spelled.endswith(ending))
    return next(ends, None) if word else None


def _is_recursive(options: Sequence[str]) -> bool:
    return any(
        word in _RECURSIVE or (word[:1] == "-" and word[:2] != "--" and set("rR") & set(word))
        for word in options
    )


def _shown(spot: Spot, root: str) -> str:
    return spot.place.spelled.removeprefix(root.rstrip("/") + "/")


def _readable(size: int) -> str:
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.0f} {_UNITS[unit]}" if amount >= 10 or unit == 0 else f"{amount:.1f} {_UNITS[unit]}"
