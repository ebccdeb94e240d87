"""Which directories belong to git around a workspace: read from its files, without running git."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.security.permissions.places import within

_MOST_BYTES = 256 * 1024
_MOST_INCLUDED = 5


@frozen
class Repository:
    """Real paths: `top` is the working tree that was looked from, `own` are git's directories, `hooks` those
    that `core.hooksPath` names, `checkouts` all working trees.
    """

    top: str = ""
    own: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    checkouts: tuple[str, ...] = ()

    @property
    def metadata(self) -> tuple[str, ...]:
        """Git's directories and those of hooks."""
        return (*self.own, *self.hooks)


def around(root: Path, home: Path) -> Repository:
    """The repository that a directory lies in, seen from its nearest `.git`; empty where there is none.

    Follows a worktree's pointer file, `commondir` and `core.hooksPath` (CVE-2026-40068). What these files say
    is used to forbid only, never to allow.
    """
    for top in (root, *root.parents):
        pointer = top / ".git"
        if not os.path.lexists(pointer):
            continue
        git_dir = _git_dir(pointer)
        if git_dir is None:
            return Repository()
        common = _beside(git_dir, _text(git_dir / "commondir")) or git_dir
        hooks = tuple(_hook_directories(git_dir, common, top, home))
        return Repository(str(top), (str(git_dir), str(common)), hooks, tuple(_checkouts(common)))
    return Repository()


def redirected(directory: Path, home: Path) -> tuple[str, ...]:
    """What git would read from here beyond the repository around it: metadata and working trees elsewhere.

    A `.git` file, a link, `commondir` and `core.worktree` may lead to anybody's repository. A linked worktree
    and a submodule are told by the pointer back that their repository holds (CVE-2026-40068).
    """
    for top in (directory, *directory.parents):
        pointer = top / ".git"
        git_dir = _git_dir(pointer) if os.path.lexists(pointer) else None
        if git_dir is None:
            continue
        common = _beside(git_dir, _text(git_dir / "commondir")) or git_dir
        settings = _values(git_dir / "config", "core", "worktree", home)
        trees = [tree for value in settings if (tree := _beside(git_dir, value))]
        back = _beside(git_dir, _text(git_dir / "gitdir"))
        is_linked = back == pointer and git_dir.parent == common / "worktrees"
        found = [tree for tree in trees if tree != top]
        if not is_linked and top not in trees:
            found += [place for place in (git_dir, common) if not place.is_relative_to(top)]
        elif common not in (git_dir, git_dir.parent.parent):
            found.append(common)
        return tuple(map(str, found))
    return ()


def _git_dir(pointer: Path) -> Path | None:
    if pointer.is_dir():
        return pointer.resolve()
    key, _, target = _text(pointer).partition(":")
    return _beside(pointer.parent, target) if key == "gitdir" else None


def _checkouts(common: Path) -> Iterator[str]:
    if common.name == ".git":
        yield str(common.parent)
    try:
        entries = sorted(os.listdir(common / "worktrees"))
    except OSError:
        return
    for entry in entries:
        pointer = _beside(common / "worktrees" / entry, _text(common / "worktrees" / entry / "gitdir"))
        if pointer is not None:
            yield str(pointer.parent)


def bare_repository(path: str, root: str) -> str:
    """The directory at or below `root` that git would take for a repository once `path` is written, or "".

    Git believes the configuration of any directory that holds what a repository holds (CVE-2026-45033).
    """
    directory, added = os.path.split(path)
    while added and within(directory, root):
        if any(_completes(directory, added, shape) for shape in _SHAPES):
            return directory
        directory, added = os.path.split(directory)
    return ""


_SHAPES = (("HEAD", "objects", "refs"), ("HEAD", "commondir"))


def _completes(directory: str, added: str, shape: tuple[str, ...]) -> bool:
    return all(name == added or os.path.lexists(os.path.join(directory, name)) for name in shape)


def _hook_directories(git_dir: Path, common: Path, top: Path, home: Path) -> Iterator[str]:
    """Where `core.hooksPath` leads: by the repository's own configuration or the person's."""
    files = (common / "config", git_dir / "config.worktree", home / ".gitconfig", home / ".config/git/config")
    for configuration in dict.fromkeys(files):
        for value in _values(configuration, "core", "hookspath", home):
            directory = _beside(top, _at_home(value, home))
            if directory is not None:
                yield str(directory)


def _values(file: Path, section: str, key: str, home: Path, depth: int = 0) -> Iterator[str]:
    """What a configuration file and those that it includes, on whatever condition, set a key to."""
    current = ""
    for line in _text(file).splitlines():
        line = line.strip()
        if line.startswith("["):
            current, _, line = line[1:].partition("]")
            current = current.strip().casefold()
        name, separator, value = line.partition("=")
        if not separator:
            continue
        name, value = name.strip().casefold(), value.strip().strip('"')
        if (current, name) == (section, key):
            yield value
        elif name == "path" and current.startswith("include") and depth < _MOST_INCLUDED:
            included = _beside(file.parent, _at_home(value, home))
            if included is not None:
                yield from _values(included, section, key, home, depth + 1)


def _at_home(path: str, home: Path) -> str:
    return str(home) + path[1:] if path.startswith("~/") else path


def _beside(directory: Path, target: str) -> Path | None:
    target = target.strip()
    if not target or "\0" in target:
        return None
    try:
        return (directory / target).resolve()
    except (OSError, RuntimeError):
        return None


def _text(path: Path) -> str:
    """What a small regular file holds; empty for anything else, since a FIFO must not block the guard."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
