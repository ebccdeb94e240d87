"""The file tools' only way to the disk: judged by the path sandbox, and held to that judgement at open time.

A file is reached from its allowed directory one component at a time, by directory descriptors that follow no
link: the path was resolved before, so a link on it has appeared since (CVE-2026-39861).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import EllipsisType
from typing import Literal

from roocode.protocol.errors import HostError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Workspace
from roocode.security.permissions.paths import file_target, grounds, judge_file, judge_read, place
from roocode.security.permissions.places import Place, within
from roocode.security.sandbox.replacing import replace_file, replace_link

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHANGED = (errno.ELOOP, errno.ENOTDIR)
_MENDS = {
    errno.ENOSPC: "Free some space on the disk of {directory}, then try again.",
    errno.EDQUOT: "Free some of your quota on the disk of {directory}, then try again.",
    errno.EFBIG: "The limit on file sizes here is lower than that (`ulimit -f`, or the disk of {directory}).",
    errno.EROFS: "The disk of {directory} is mounted read-only.",
    errno.EACCES: "Check the owner and the mode of the file and of {directory} (`ls -la`).",
    errno.EPERM: "Check owner, mode and attributes of the file and of {directory} (`ls -la`, `lsattr`).",
    errno.EIO: "The disk of {directory} fails: look at the system's log.",
}


class PathRefused(RooCodeError):
    """The path sandbox does not let this path be read or written."""


@frozen
class Entry:
    """A name in a directory; a link is "link", whatever it leads to."""

    name: str
    kind: Literal["file", "directory", "link", "special"]


def _nothing(_: str) -> bool:
    return False


class SafeFiles:
    """Files of one pinned workspace.

    `hidden` says of an absolute path whether a deny rule hides it (`permissions.hidden.hides`); `protected`
    are directories that are never written. Paths are as a tool was given them. What asks a person is not
    decided here. Every method raises PathRefused, or HostError when the disk fails.
    """

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        *,
        plan_file: Path | None = None,
        protected: tuple[Path, ...] = (),
        hidden: Callable[[str], bool] = _nothing,
    ) -> None:
        self._ground = grounds(workspace, home, plan_file, protected)
        self._hidden = hidden

    def resolve(self, path: str, *, cwd: str | None = None, to_write: bool = False) -> Place:
        """Where a path leads, if it may be read or, with `to_write`, be the target of a write."""
        return self._admit(place(path, cwd, self._ground), to_write=to_write)

    def is_hidden(self, path: str) -> bool:
        """Whether a deny rule hides an absolute path, so that searches leave it out."""
        return self._hidden(path)

    def stat(self, path: str | Place, *, cwd: str | None = None) -> os.stat_result:
        """The status of a file or directory."""
        where = self._judged(path, cwd)
        with self._holding(where) as descriptor:
            return os.fstat(descriptor)

    def read(self, path: str | Place, *, cwd: str | None = None, limit: int | None = None) -> bytes:
        """Bytes of a regular file: at most the first `limit`, all by default."""
        where = self._judged(path, cwd)
        with self._holding(where) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PathRefused(f"{where.spelled} is not a regular file")
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                return stream.read() if limit is None else stream.read(limit)

    def scandir(self, path: str | Place, *, cwd: str | None = None) -> tuple[Entry, ...]:
        """The names in a directory, sorted; hidden ones are left out."""
        where = self._judged(path, cwd)
        with self._holding(where) as descriptor, os.scandir(descriptor) as found:
            entries = sorted((Entry(item.name, _kind(item)) for item in found), key=lambda entry: entry.name)
        return tuple(entry for entry in entries if not self._hidden(os.path.join(where.real, entry.name)))

    def write(
        self,
        path: str | Place,
        data: bytes,
        *,
        cwd: str | None = None,
        replacing: bytes | EllipsisType | None = ...,
    ) -> Place:
        """Replaces or creates a file, whole or not at all, and returns where it is.

        `replace_file` does it, in the directory that was judged; missing directories are made. Through a link
        the file that it leads to is written; another hard link keeps the old content. `replacing` is what the
        file must still hold when that happens, None that it must not exist; `...` is no condition.
        """
        where = self._judged(path, cwd, to_write=True)
        self._replace(where, data, replacing=replacing)
        return where

    @contextmanager
    def held(self, path: str | Place) -> Iterator[Path]:
        """Keeps a directory, or the one that a file lies in, open; for a process that is started there.

        The path that it gives leads to the directory that was judged, whatever its name leads to meanwhile.
        """
        where = self._judged(path, None)
        directory = where.real if where.kind == "directory" else os.path.dirname(where.real)
        with self._opened(directory, where) as descriptor:
            yield Path(f"/proc/self/fd/{descriptor}")

    def restore(self, where: Place, data: bytes, *, executable: bool) -> None:
        """Like `write`, with the right to execute set or taken from all who may read.

        For what a file was before: `where` is resolved, and a link at its end is replaced.
        """
        self._replace(self._admit(where, to_write=True), data, over_link=True, executable=executable)

    def restore_link(self, where: Place, target: bytes) -> None:
        """Makes a link, in the place of a file or link where there is one."""
        directory, name = os.path.split(self._admit(where, to_write=True).real)
        with self._opened(directory, where, create=True) as parent, _naming_disk(where):
            replace_link(parent, name, target, check=lambda: self._still_leads(directory, parent, where))

    def remove(self, where: Place) -> None:
        """Removes a file or link, and the directories around it that are empty then, but for the roots."""
        directory, name = os.path.split(self._admit(where, to_write=True).real)
        with self._opened(directory, where) as parent:
            os.unlink(name, dir_fd=parent)
        while directory not in self._ground.roots and self._ground.around(directory):
            directory, name = os.path.split(directory)
            with self._opened(directory, where) as parent:
                try:
                    os.rmdir(name, dir_fd=parent)
                except OSError:
                    return

    def _replace(
        self,
        where: Place,
        data: bytes,
        *,
        over_link: bool = False,
        replacing: bytes | EllipsisType | None = ...,
        executable: bool | None = None,
    ) -> None:
        directory, name = os.path.split(where.real)
        with self._opened(directory, where, create=True) as parent:
            _require_regular(name, parent, over_link=over_link)
            with _naming_disk(where):
                replace_file(
                    parent,
                    name,
                    data,
                    check=lambda: self._still_leads(directory, parent, where),
                    replacing=replacing,
                    executable=executable,
                    shown=where.spelled,
                )

    def _judged(self, path: str | Place, cwd: str | None, *, to_write: bool = False) -> Place:
        where = place(path, cwd, self._ground) if isinstance(path, str) else path
        return self._admit(where, to_write=to_write)

    def _admit(self, where: Place, *, to_write: bool) -> Place:
        judgement = judge_file(where, self._ground) if to_write else judge_read(where, self._ground)
        reason = judgement.reason
        if judgement.standing not in ("outside", "unusable", "denied"):
            reason = file_target(where) if to_write else ""
        if not reason and (self._hidden(where.spelled) or self._hidden(where.real)):
            reason = "a rule denies reading it"
        if reason:
            raise PathRefused(f"{where.spelled} cannot be {'written' if to_write else 'read'}: {reason}")
        return where

    @contextmanager
    def _holding(self, where: Place) -> Iterator[int]:
        """The open file or directory at a resolved place."""
        if where.kind == "directory" and where.real == self._start(where):
            with self._opened(where.real, where) as descriptor:
                yield descriptor
            return
        directory, name = os.path.split(where.real)
        with self._opened(directory, where) as parent:
            descriptor = os.open(name, _FILE, dir_fd=parent)
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    @contextmanager
    def _opened(self, directory: str, where: Place, *, create: bool = False) -> Iterator[int]:
        """A directory on the way to a resolved place, reached from its allowed directory without links."""
        start = self._start(where)
        start = start if within(directory, start) else directory
        with _naming(where):
            descriptor = os.open(start, _DIRECTORY)
            try:
                for part in filter(None, directory[len(start) :].split("/")):
                    below = _open_directory(part, descriptor, create=create)
                    os.close(descriptor)
                    descriptor = below
                yield descriptor
            finally:
                os.close(descriptor)

    def _start(self, where: Place) -> str:
        """The allowed directory that a place lies in, or the allowed file that it is."""
        allowed = (*self._ground.roots, *self._ground.readable)
        return max((path for path in allowed if within(where.real, path)), key=len, default=where.real)

    def _still_leads(self, directory: str, descriptor: int, where: Place) -> None:
        held, found = os.fstat(descriptor), os.stat(directory, follow_symlinks=False)
        if (held.st_dev, held.st_ino) != (found.st_dev, found.st_ino):
            raise PathRefused(f"{where.spelled} cannot be written: its directory was moved meanwhile")


def _open_directory(name: str, parent: int, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    return os.open(name, _DIRECTORY, dir_fd=parent)


def _require_regular(name: str, parent: int, *, over_link: bool) -> None:
    with suppress(FileNotFoundError):
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode) and not (over_link and stat.S_ISLNK(mode)):
            raise PathRefused(f"{name} cannot be written: it is no longer a regular file")


@contextmanager
def _naming(where: Place) -> Iterator[None]:
    """Turns the disk's errors into ours: a link or a file where none was judged is a refusal."""
    try:
        yield
    except OSError as error:
        if error.errno in _CHANGED:
            reason = "a part of it is no directory, or a link that appeared meanwhile"
            raise PathRefused(f"{where.spelled} cannot be opened: {reason}") from error
        raise HostError(f"{where.spelled}: {error.strerror}") from error


@contextmanager
def _naming_disk(where: Place) -> Iterator[None]:
    """Says of a failed write which disk or right it lacks, and that nothing was changed."""
    try:
        yield
    except OSError as error:
        if error.errno not in _MENDS:
            raise
        directory = os.path.dirname(where.real)
        raise HostError(
            f"{where.spelled} could not be written: {error.strerror}. It is as it was before.",
            _MENDS[error.errno].format(directory=directory),
        ) from error


def _kind(item: os.DirEntry[str]) -> Literal["file", "directory", "link", "special"]:
    if item.is_symlink():
        return "link"
    if item.is_dir(follow_symlinks=False):
        return "directory"
    return "file" if item.is_file(follow_symlinks=False) else "special"
