"""Reads a directory as it lies: all files and links, none of them followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from roocode.interaction.plugins.tree import DEEPEST, MEND, Entry, Limits, Tree
from roocode.protocol.errors import HostError, UserError

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_folder(top: Path, shown: str) -> Tree:
    """Every file and link below a directory but what is git's; raises UserError and HostError."""
    limits = Limits(shown)
    return {path: _entry(top, path, limits, shown) for path in _paths(top, "", shown)}


def _paths(top: Path, folder: str, shown: str) -> Iterator[str]:
    """All paths below; directories are entered, links to them are not."""
    if folder.count("/") > DEEPEST:
        raise UserError(f"{shown} is refused: {folder[:80]}… is nested beyond measure", MEND)
    try:
        with os.scandir(top / folder) as items:
            listed = sorted(items, key=lambda item: item.name)
    except OSError as error:
        raise HostError(f"{top / folder} cannot be read: {error.strerror}") from error
    for item in listed:
        path = f"{folder}/{item.name}" if folder else item.name
        if item.name == ".git":
            continue
        if item.is_dir(follow_symlinks=False):
            yield from _paths(top, path, shown)
        else:
            yield path


def _entry(top: Path, path: str, limits: Limits, shown: str) -> Entry:
    where = top / path
    try:
        status = where.lstat()
        if stat.S_ISLNK(status.st_mode):
            limits.take(path, status.st_size)
            return Entry("link", os.fsencode(os.readlink(where)))
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{shown} is refused: {path} is neither file, directory nor link", "remove it")
        limits.take(path, status.st_size)
        descriptor = os.open(where, _OPEN)
        with open(descriptor, "rb") as file:
            data = file.read(status.st_size + 1)
    except OSError as error:
        raise HostError(f"{where} cannot be read: {error.strerror}") from error
    if len(data) != status.st_size:
        raise HostError(f"{where} changed while it was read", "try again")
    return Entry("program" if status.st_mode & 0o100 else "file", data)
