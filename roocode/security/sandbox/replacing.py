"""Replaces a file or link in an open directory, whole or not at all.

Temporary file, fsync, comparison with what was to be written, rename, fsync of the directory: whoever looks
sees the old file or the new one (git's lockfile API gives the same promise). A temporary file is locked while
its writer lives; what a killed writer left behind is removed by the next write in its directory.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import EllipsisType

from roocode.protocol.errors import HostError

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TEMPORARY = re.compile(r"\.roocode-[0-9a-f]{16}\.tmp")
_TEMPORARY_LINK = re.compile(r"(\.roocode-[0-9a-f]{16})\.link\.tmp")
"""A link cannot be locked: it lives as long as the temporary file of its name, which is."""
_ACL = "system.posix_acl_access"
_NOT_KEPT = frozenset({"security.capability", _ACL})
"""Attributes that must not outlive a change of the content, or need an order of their own."""
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class FileChanged(HostError):
    """Something else changed the file while it was being written; its content was kept."""


def replace_file(
    parent: int,
    name: str,
    data: bytes,
    *,
    check: Callable[[], None],
    replacing: bytes | EllipsisType | None = ...,
    executable: bool | None = None,
    mode: int = 0o666,
    shown: str = "",
) -> None:
    """Writes a regular file, creates it, or puts it in the place of a link; `check` runs before that.

    Errors call it `shown`, or `name`.

    `replacing` is what the file must still hold then, None that it must not exist; `...` is no condition.
    Owner, mode bits, extended attributes and access list of an old file are kept as far as we may set them;
    `executable` gives the right to execute to all who may read, or takes it from all. `mode` is for a new
    file, less what the umask takes.
    Raises FileChanged, HostError where the file is not ours to write or does not hold `data` afterwards, and
    OSError.
    """
    shown = shown or name
    _sweep(parent)
    old = _status(name, parent)
    kept = old if old is not None and stat.S_ISREG(old.st_mode) else None
    if kept is not None and not os.access(name, os.W_OK, dir_fd=parent, effective_ids=True):
        raise PermissionError(errno.EACCES, "it is write-protected")
    with _temporary(parent, mode if kept is None else 0o600) as (temporary, descriptor):
        _fill(descriptor, data)
        if kept is not None:
            _keep(descriptor, kept, name, parent)
        if executable is not None:
            given = stat.S_IMODE(os.fstat(descriptor).st_mode)
            os.fchmod(descriptor, given | (given & 0o444) >> 2 if executable else given & ~0o111)
        os.fsync(descriptor)
        if not _holds(descriptor, data):
            raise HostError(f"{shown} was not written: the disk gave back other bytes than it was given")
        check()
        if not _is_still(name, parent, old, replacing):
            raise _changed(shown)
        try:
            _put(temporary, name, parent, fresh=replacing is None)
        except FileExistsError as error:
            raise _changed(shown) from error
    os.fsync(parent)
    with _reading(name, parent) as descriptor:
        if not _holds(descriptor, data):
            raise HostError(f"{shown} does not hold what was just written to it", "read it again")


def replace_path(path: Path, data: bytes, *, mode: int) -> None:
    """`replace_file` in a directory of ours, which nobody moves meanwhile; raises HostError or OSError."""
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        replace_file(parent, path.name, data, check=lambda: None, mode=mode, shown=str(path))
    finally:
        os.close(parent)


def replace_link(parent: int, name: str, target: bytes, *, check: Callable[[], None]) -> None:
    """Makes a link, in the place of a file or link where there is one; `check` runs before that.

    Raises OSError.
    """
    _sweep(parent)
    with _temporary(parent, 0o600) as (holder, _):
        temporary = f"{holder.removesuffix('.tmp')}.link.tmp"
        try:
            os.symlink(target, temporary, dir_fd=parent)
            check()
            os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
    os.fsync(parent)


def _status(name: str, parent: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextmanager
def _temporary(parent: int, mode: int) -> Iterator[tuple[str, int]]:
    """A new locked file; its name is gone afterwards."""
    name, descriptor = _locked(parent, mode)
    try:
        yield name, descriptor
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=parent)
        os.close(descriptor)


def _locked(parent: int, mode: int) -> tuple[str, int]:
    """Creates a file and locks it; once more where a sweep took it before it was locked."""
    while True:
        name = f".roocode-{secrets.token_hex(8)}.tmp"
        descriptor = os.open(name, _NEW, mode, dir_fd=parent)
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return name, descriptor
        os.close(descriptor)


def _sweep(parent: int) -> None:
    """Removes what killed writers left: temporary files that nobody has locked, and the links beside them."""
    names = os.listdir(parent)
    for name in filter(_TEMPORARY.fullmatch, names):
        with suppress(OSError), _reading(name, parent) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=parent)
    for link in filter(None, map(_TEMPORARY_LINK.fullmatch, names)):
        if _status(f"{link[1]}.tmp", parent) is None:
            with suppress(OSError):
                os.unlink(link[0], dir_fd=parent)


@contextmanager
def _reading(name: str, parent: int) -> Iterator[int]:
    descriptor = os.open(name, _OLD, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _holds(descriptor: int, data: bytes) -> bool:
    """Whether an open file holds exactly these bytes."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size != len(data):
        return False
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        return stream.read() == data


def _is_still(
    name: str, parent: int, old: os.stat_result | None, replacing: bytes | EllipsisType | None
) -> bool:
    """Whether the file is the one that was there at first, and holds what is to be replaced."""
    now = _status(name, parent)
    if now is None or old is None:
        return now is None and old is None
    if replacing is None or (now.st_dev, now.st_ino) != (old.st_dev, old.st_ino):
        return False
    if not isinstance(replacing, bytes):
        return True
    with _reading(name, parent) as descriptor:
        return _holds(descriptor, replacing)


def _changed(shown: str) -> FileChanged:
    return FileChanged(
        f"{shown} was changed by something else at this moment; that was kept, and nothing was written",
        "Read it again.",
    )


def _put(temporary: str, name: str, parent: int, *, fresh: bool) -> None:
    """Gives the temporary file its name. Raises FileExistsError where a `fresh` one would take another's."""
    if fresh:
        try:
            os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
            return
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
    os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)


def _keep(descriptor: int, old: os.stat_result, name: str, parent: int) -> None:
    """Gives a new file what the old one has beside its content, as far as we may."""
    new, mode = os.fstat(descriptor), stat.S_IMODE(old.st_mode)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(descriptor, mode)
    with suppress(OSError), _reading(name, parent) as source:
        _keep_attributes(source, descriptor)


def _keep_attributes(source: int, target: int) -> None:
    there, given = os.listxattr(source), os.listxattr(target)
    for attribute in set(there) - _NOT_KEPT:
        with suppress(OSError):
            os.setxattr(target, attribute, os.getxattr(source, attribute))
    if _ACL in there:
        os.setxattr(target, _ACL, os.getxattr(source, _ACL))
    elif _ACL in given:
        os.removexattr(target, _ACL)
