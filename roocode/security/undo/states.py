"""What a path held before and after a turn, and what a rewind makes of it: pure but for `look`."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen

LARGEST: Final = 10 * 1024 * 1024
"""Bytes; a larger file is not kept."""
PLAIN: Final = "100644"
PROGRAM: Final = "100755"
LINK: Final = "120000"


@frozen
class FileState:
    """A file as git would store it: one of the three modes, and the id of its raw content."""

    mode: str
    blob: str


@frozen
class Change:
    """A path (absolute) that a turn changed; None where there was, or is, no file."""

    path: str
    before: FileState | None
    after: FileState | None


@frozen
class Step:
    """What a rewind does to one path: `target` takes the place of `expected`, which must still be there."""

    path: str
    expected: FileState | None
    target: FileState | None


@frozen
class Plan:
    """The steps of a rewind; `kept` are paths that the person changed since, each with what became of it."""

    steps: tuple[Step, ...]
    kept: Mapping[str, str]


class Unclear(Exception):
    """A path holds what is never kept: too large, special, or not readable."""


def plan(turns: Sequence[Iterable[Change]], now: Callable[[str], FileState | None]) -> Plan:
    """How to take back turns, the newest first. `now` gives what a path holds; raises Unclear.

    A path goes back as far as each turn found what the one before had left; what the person did in between
    or afterwards is on top, and stays.
    """
    chains: dict[str, list[Change]] = {}
    for changes in turns:
        for change in changes:
            chains.setdefault(change.path, []).append(change)
    steps, kept = [], {}
    for path, chain in chains.items():
        target, whole = _back(chain)
        try:
            present = now(path)
        except Unclear as unclear:
            kept[path] = f"left as it is: {unclear}"
            continue
        if present != chain[0].after:
            if present != chain[-1].before:
                kept[path] = "left as it is: it was changed since"
            continue
        if not whole:
            kept[path] = "taken back only to your own change in between"
        if present != target:
            steps.append(Step(path, present, target))
    return Plan(tuple(steps), kept)


def _back(chain: Sequence[Change]) -> tuple[FileState | None, bool]:
    """The oldest state that is reached without a gap, and whether that is the very first."""
    target = chain[0].before
    for older in chain[1:]:
        if older.after != target:
            return target, False
        target = older.before
    return target, True


def look(path: str, algorithm: str = "sha1") -> FileState | None:
    """What a path holds now, None where there is no file; a directory is none. Raises Unclear."""
    content = read(path)
    return None if content is None else FileState(content[0], blob_id(content[1], algorithm))


def read(path: str) -> tuple[str, bytes] | None:
    """Mode and raw content of a file or link, None where there is none. Raises Unclear."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return LINK, os.fsencode(os.readlink(path))
        if stat.S_ISDIR(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode):
            raise Unclear("it is no regular file")
        if status.st_size > LARGEST:
            raise Unclear(f"it is larger than {LARGEST // 2**20} MB")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return mode_of(status), file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unclear(f"it cannot be read: {error.strerror}") from error


def mode_of(status: os.stat_result) -> str:
    """The mode that git has for a regular file or link."""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    return PROGRAM if status.st_mode & stat.S_IXUSR else PLAIN


def blob_id(content: bytes, algorithm: str = "sha1") -> str:
    """The id that git gives to a content; `algorithm` is the repository's, "sha1" or "sha256"."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def checked(content: bytes, state: FileState) -> bytes:
    """The content, if it is that of the state. Raises HostError."""
    algorithm = "sha1" if len(state.blob) == 40 else "sha256"
    if blob_id(content, algorithm) != state.blob:
        raise HostError(f"the kept content {state.blob[:12]} is damaged")
    return content
