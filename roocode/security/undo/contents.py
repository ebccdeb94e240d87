"""Contents of files as git's objects: stored raw, as they are on disk, and read back."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git
from roocode.security.undo.states import FileState, checked, mode_of

Found: TypeAlias = Mapping[str, os.stat_result | None]
"""Files by their paths, None for one that is gone."""
Entries: TypeAlias = Mapping[str, tuple[str, str] | None]
"""Mode and id by path, None for a file that is gone."""
SETTLED_NS: Final = 100_000_000
"""More than the clock of any file system's times ticks."""
_TOGETHER: Final = 6
"""Contents that are read at once: so many of the largest fit what is taken of a program's output."""


@frozen
class _Known:
    """A content that was stored: the file's stat data, and when it was read (ns)."""

    sign: tuple[int, ...]
    at: int
    blob: str

    @property
    def is_settled(self) -> bool:
        """Whether the file was old enough then: a later change has another time."""
        return max(self.sign[-2:]) < self.at - SETTLED_NS


class Contents:
    """Stores contents of files below a directory, and knows by their stat data what it stored before."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    async def store(self, git: Git, found: Found) -> dict[str, tuple[str, str] | None]:
        """Stores what is not stored yet; paths are relative to git's directory. Raises HostError."""
        there = {path: status for path, status in found.items() if status}
        blobs = {path: blob for path, status in there.items() if (blob := self._blob(path, status))}
        now = time.time_ns()
        new = await _store(git, {path: there[path] for path in there.keys() - blobs.keys()})
        self._known |= {path: _Known(_sign(there[path]), now, blob) for path, blob in new.items()}
        blobs |= new
        return {path: (mode_of(status), blobs[path]) if status else None for path, status in found.items()}

    def _blob(self, path: str, status: os.stat_result) -> str:
        """The id of a content that was stored before and is surely the same by its stat data, else ""."""
        known = self._known.get(path)
        is_same = known is not None and known.sign == _sign(status) and known.is_settled
        return known.blob if known is not None and is_same else ""


async def contents(git: Git, states: Iterable[FileState]) -> dict[str, bytes]:
    """The contents of states, by their ids. Raises HostError for one that is lost or damaged."""
    wanted = {state.blob: state for state in states}
    ids = list(wanted)
    found: dict[str, bytes] = {}
    for start in range(0, len(ids), _TOGETHER):
        some = ids[start : start + _TOGETHER]
        raw = await objects(git, some)
        found |= {each: checked(content, wanted[each]) for each, content in zip(some, raw, strict=True)}
    return found


async def objects(git: Git, ids: list[str]) -> list[bytes]:
    """Objects as they are stored. Raises HostError for one that is lost."""
    stream = (await git("cat-file", "--batch", stdin="".join(f"{each}\n" for each in ids))).out
    return list(_objects(stream.encode("utf-8", "surrogateescape"), len(ids)))


async def _store(git: Git, files: Mapping[str, os.stat_result]) -> dict[str, str]:
    """Stores contents, as they are, and returns their ids."""
    stored = ("hash-object", "-w", "--no-filters")
    links = [path for path, status in files.items() if stat.S_ISLNK(status.st_mode)]
    plain = [path for path, status in files.items() if not stat.S_ISLNK(status.st_mode)]
    blobs: dict[str, str] = {}
    if plain:
        names = "".join(f"{_quoted(os.path.join(git.cwd, path))}\n" for path in plain)
        ids = (await git(*stored, "--stdin-paths", stdin=names)).out.split()
        blobs |= zip(plain, ids, strict=True)
    for path in links:
        try:
            target = os.readlink(os.path.join(git.cwd, path))
        except OSError as error:
            raise HostError(f"cannot read the link {path}: {error.strerror}") from error
        blobs[path] = (await git(*stored, "--stdin", stdin=target)).line
    return blobs


def _sign(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _quoted(path: str) -> str:
    """A path as git reads it in a line, whatever it holds."""
    raw = path.encode("utf-8", "surrogateescape")
    plain = all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw)
    return path if plain else '"' + "".join(f"\\{byte:03o}" for byte in raw) + '"'


def _objects(stream: bytes, count: int) -> Iterator[bytes]:
    """Reads `git cat-file --batch`: a line `<id> <type> <size>`, the content, a newline."""
    position = 0
    for _ in range(count):
        end = stream.index(b"\n", position)
        words = stream[position:end].split()
        if words[-1] == b"missing":
            raise HostError(f"git has lost the content {words[0][:12].decode()}", "Was refs/roocode removed?")
        start, size = end + 1, int(words[-1])
        yield stream[start : start + size]
        position = start + size + 1
