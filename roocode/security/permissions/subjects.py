"""What one call consists of: the things that rules and modes judge one by one.

A call is denied or asked about if any of them is, and allowed only if every one is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, assert_never

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches
from roocode.security.permissions import protected
from roocode.security.permissions.expansion import expanded, plain_spellings
from roocode.security.permissions.names import patterns
from roocode.security.permissions.paths import Grounds, Judgement, judge_file, judge_read, judge_write, place
from roocode.security.permissions.places import Place
from roocode.security.permissions.repository import redirected

if TYPE_CHECKING:
    from roocode.security.permissions.analysis import Analysis
    from roocode.security.permissions.parts import Part

_REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred", "srm", "trash"})


@frozen
class Spot:
    """A place with its standing in the sandbox."""

    place: Place
    judgement: Judgement


@frozen
class Program:
    """A simple command of a shell line, with the places that it names."""

    part: Part
    reads: tuple[Spot, ...]
    writes: tuple[Spot, ...]


@frozen
class Reading:
    """A file or directory that a tool reads or searches."""

    spot: Spot


@frozen
class Writing:
    """A file that a tool writes."""

    spot: Spot


@frozen
class Fetching:
    """A URL that a tool fetches."""

    url: str


@frozen
class Acting:
    """The tool as such: `harmless` where it touches nothing outside the program."""

    harmless: bool


Subject: TypeAlias = Program | Reading | Writing | Fetching | Acting


@frozen
class Examined:
    """A call taken apart: what every layer of the decision looks at."""

    tool: str
    arguments: Arguments
    touches: Touches
    analysis: Analysis | None
    subjects: tuple[Subject, ...]
    ground: Grounds

    @property
    def programs(self) -> tuple[Program, ...]:
        """The commands of the call's shell line, in order."""
        return tuple(subject for subject in self.subjects if isinstance(subject, Program))


def subjects_of(
    tool: str, arguments: Arguments, touches: Touches, analysis: Analysis | None, ground: Grounds
) -> tuple[Subject, ...]:
    """Takes a call apart; never empty."""
    subjects: list[Subject] = []
    if analysis is not None:
        subjects.extend(_program(part, ground) for part in analysis.parts)
    reads = [*touches.reads, *_searched(tool, arguments, touches)]
    subjects.extend(Reading(_read(path, touches.cwd, ground)) for path in reads)
    subjects.extend(Writing(_filed(path, touches.cwd, ground)) for path in touches.writes)
    subjects.extend(Fetching(url) for url in touches.urls)
    if touches.other or not subjects:
        is_safe = analysis is None or analysis.level == "safe"
        subjects.append(Acting(harmless=is_safe and not touches.other))
    return tuple(subjects)


def spots_written(subject: Subject) -> tuple[Spot, ...]:
    """The places that a part of a call would write."""
    match subject:
        case Program(writes=writes):
            return writes
        case Writing(spot):
            return (spot,)
        case Reading() | Fetching() | Acting():
            return ()
        case _:
            assert_never(subject)


def spots_of(subject: Subject) -> tuple[Spot, ...]:
    """The places that a part of a call would read or write."""
    match subject:
        case Program(_, reads, writes):
            return (*reads, *writes)
        case Reading(spot) | Writing(spot):
            return (spot,)
        case Fetching() | Acting():
            return ()
        case _:
            assert_never(subject)


def removes(part: Part) -> bool:
    """Whether a command removes what it names, directories with all that they hold."""
    texts = (part.text, *part.resolved)
    return any(text.split(" ")[0].rpartition("/")[2] in _REMOVERS for text in texts)


def _program(part: Part, ground: Grounds) -> Program:
    reads = (
        path
        for path in (*part.reads, *_of_git(part, ground.home))
        if path not in protected.STREAMS | protected.READ_BY_ANYBODY
    )
    writes = (path for path in part.writes if path not in protected.STREAMS)
    return Program(part, tuple(_expanded(reads, ground, _read)), tuple(_expanded(writes, ground, _written)))


def _of_git(part: Part, home: str) -> Iterator[str]:
    """What git reads besides the places that are named: where the `.git` there leads."""
    if part.words[:1] == ("git",):
        for path in part.reads:
            if os.path.isdir(path):
                yield from redirected(Path(os.path.realpath(path)), Path(home))


def _expanded(
    paths: Iterable[str], ground: Grounds, judged: Callable[[str, str | None, Grounds], Spot]
) -> Iterator[Spot]:
    for path in paths:
        found = expanded(path)
        if found is None:
            reason = f"{path} stands for too many files to judge each"
            yield Spot(Place(path, "", "missing", refused=reason), Judgement("unusable", reason))
        else:
            yield from (judged(each, None, ground) for each in found)


def _searched(tool: str, arguments: Arguments, touches: Touches) -> list[str]:
    """Directories that a search reaches by its pattern (`../../**/*.pem`), beyond those it names."""
    spellings = (each for pattern in patterns(tool, arguments) for each in plain_spellings(pattern))
    reached: list[str] = []
    for prefix in filter(None, map(_fixed_prefix, spellings)):
        is_absolute = prefix.startswith(("/", "~"))
        reached.extend([prefix] if is_absolute else [f"{base}/{prefix}" for base in touches.reads or (".",)])
    return reached


def _fixed_prefix(pattern: str) -> str:
    """The directories of a glob up to its last `..`, or of an absolute one to its first wildcard."""
    if "\0" in pattern:
        return pattern
    parts = [part for part in pattern.split("/") if part != "**"]
    if ".." in parts:
        return "/".join(parts[: len(parts) - parts[::-1].index("..")])
    if pattern.startswith(("/", "~")):
        fixed = takewhile(lambda part: not set(part) & set("*?["), parts[:-1])
        return "/".join(fixed) or "/"
    return ""


def _read(path: str, cwd: str | None, ground: Grounds) -> Spot:
    where = place(path, cwd, ground)
    return Spot(where, judge_read(where, ground))


def _filed(path: str, cwd: str | None, ground: Grounds) -> Spot:
    where = place(path, cwd, ground)
    return Spot(where, judge_file(where, ground))


def _written(path: str, cwd: str | None, ground: Grounds) -> Spot:
    where = place(path, cwd, ground)
    return Spot(where, judge_write(where, ground))
