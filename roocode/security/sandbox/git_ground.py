"""What of a repository a sandboxed command may write, so that `git commit` works and nothing of it runs.

Writable: objects, refs, logs, index. Read-only: hooks, configuration, attributes, pointers between worktrees,
and what belongs to other worktrees. A directory that holds something read-only is a mount of its own, since a
directory is renamed away with all that is mounted below it, but not a mount.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from roocode.protocol.frozen import frozen
from roocode.security.permissions import repository
from roocode.security.permissions.places import within
from roocode.security.sandbox.bubblewrap import Mount

_FIXED = ("hooks", "config", "config.worktree", "info/attributes")
_POINTERS = ("commondir", "gitdir", "config.worktree")
_OF_MAIN_CHECKOUT = ("HEAD", "index")
_DEEPEST_MODULE = 6
_MOST_BYTES = 256 * 1024


@frozen
class GitGround:
    """Mounts around a repository; `forbidden` are names that must not appear, since git would obey them."""

    mounts: tuple[Mount, ...] = ()
    forbidden: tuple[str, ...] = ()


def ground(root: Path, home: Path) -> GitGround:
    """What the repository around an agent's root needs; nothing where its pointers cannot be believed."""
    top = next((folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git")), None)
    if top is None or (top == home and top != root):
        return GitGround()
    entry = top / ".git"
    if entry.is_symlink() or not _ours(entry):
        return _read_only_part(entry)
    if entry.is_dir():
        found = _of_directory(entry)
        return GitGround((*found.mounts, *_hook_directories(top, home)), found.forbidden)
    linked = _linked(entry)
    if linked is None:
        return GitGround((_fixed(entry),))
    admin, common = linked
    found = _of_directory(common)
    mounts = (
        _fixed(entry),
        *(mount for mount in found.mounts if not within(mount.path, str(common / "worktrees"))),
        _fixed(common / "worktrees"),
        *(_fixed(common / name) for name in _OF_MAIN_CHECKOUT),
        Mount("writable", str(admin)),
        *(_fixed(admin / name) for name in _POINTERS),
        *_hook_directories(top, home),
    )
    return GitGround(mounts, found.forbidden)


def nested(directory: Path) -> GitGround:
    """What is read-only in a repository that lies below an agent's root: a clone or a submodule."""
    entry = directory / ".git"
    if not os.path.lexists(entry):
        return GitGround()
    if entry.is_symlink():
        return _read_only_part(entry)
    if not entry.is_dir():
        return GitGround((Mount("writable", str(directory)), _fixed(entry)))
    found = _of_directory(entry)
    return GitGround((Mount("writable", str(directory)), *found.mounts), found.forbidden)


def checkouts(root: Path, home: Path) -> list[str]:
    """The working trees of the repository around a directory: those that hold a `.git` of ours.

    What a repository says of its worktrees is not enough: a command can write it.
    """
    return [path for path in repository.around(root, home).checkouts if _ours(Path(path) / ".git")]


def submodules(top: Path) -> Iterator[Path]:
    """Where `.gitmodules` says that submodules lie, of what is a directory there."""
    for line in _text(top / ".gitmodules").splitlines():
        key, _, value = line.partition("=")
        path = os.path.normpath(top / value.strip().strip('"'))
        real = within(path, str(top)) and os.path.realpath(path) == path and os.path.isdir(path)
        if key.strip().lower() == "path" and real and path != str(top):
            yield Path(path)


def _read_only_part(entry: Path) -> GitGround:
    """For a repository behind a link, or one of somebody else: what must not be written, and no more."""
    real = Path(os.path.realpath(entry))
    if not real.is_dir():
        return GitGround((_fixed(real),))
    found = _of_directory(real)
    return GitGround(tuple(mount for mount in found.mounts if mount.kind == "read-only"), found.forbidden)


def _of_directory(git: Path) -> GitGround:
    _complete(git)
    mounts = [Mount("writable", str(git)), *(_fixed(git / name) for name in _FIXED)]
    if (git / "info").is_dir():
        mounts.append(Mount("writable", str(git / "info")))
    mounts += [_fixed(git / "worktrees" / name) for name in _names(git / "worktrees")]
    if (git / "worktrees").is_dir():
        mounts.append(Mount("writable", str(git / "worktrees")))
    mounts += _modules(git / "modules", _DEEPEST_MODULE)
    forbidden = [str(git / "commondir")]
    return GitGround(tuple(mounts), tuple(name for name in forbidden if not os.path.lexists(name)))


def _complete(git: Path) -> None:
    """Makes what git itself would have made, so that it can be covered: a directory for hooks, empty.

    And an empty `config.worktree` where the configuration says that one is read.
    """
    try:
        if (git / "HEAD").is_file() and not os.path.lexists(git / "hooks"):
            (git / "hooks").mkdir()
        config = (git / "config").read_text(errors="replace") if (git / "config").is_file() else ""
        if "worktreeconfig" in config.lower() and not os.path.lexists(git / "config.worktree"):
            (git / "config.worktree").touch()
    except OSError:
        return


def _modules(folder: Path, deepest: int) -> list[Mount]:
    """The repositories of submodules; a name may have slashes, so that they lie at any depth."""
    if not folder.is_dir() or folder.is_symlink() or not deepest:
        return []
    mounts = [Mount("writable", str(folder))]
    for name in _names(folder):
        module = folder / name
        if not module.is_dir() or module.is_symlink():
            continue
        if (module / "HEAD").is_file():
            mounts += [Mount("writable", str(module)), *(_fixed(module / part) for part in _FIXED)]
            mounts += _modules(module / "modules", deepest - 1)
        else:
            mounts += _modules(module, deepest - 1)
    return mounts


def _linked(pointer: Path) -> tuple[Path, Path] | None:
    """A linked worktree's own directory and the common one, if each names the other (CVE-2026-40068).

    A pointer that leads anywhere else opens nothing.
    """
    key, _, target = _text(pointer).partition(":")
    if key != "gitdir" or not target.strip():
        return None
    admin = Path(os.path.realpath(pointer.parent / target.strip()))
    common = admin.parent.parent
    believed = (
        admin.parent.name == "worktrees"
        and os.path.realpath(admin / _text(admin / "commondir").strip()) == str(common)
        and os.path.realpath(admin / _text(admin / "gitdir").strip()) == str(pointer)
        and (common / "HEAD").is_file()
        and (common / "objects").is_dir()
        and (common / "refs").is_dir()
        and _ours(common)
    )
    return (admin, common) if believed else None


def _hook_directories(top: Path, home: Path) -> Iterator[Mount]:
    """Where `core.hooksPath` of the repository leads, unless it names the working tree itself."""
    for directory in repository.around(top, home).hooks:
        if within(directory, str(top)) and directory != str(top):
            yield Mount("read-only", directory)


def _fixed(path: Path) -> Mount:
    return Mount("read-only", str(path))


def _ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_bytes()[:_MOST_BYTES].decode("utf-8", "surrogateescape") if path.is_file() else ""
    except OSError:
        return ""
