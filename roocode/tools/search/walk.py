"""All files below a directory, as ripgrep lists them: what `.gitignore` leaves out is not there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from roocode.tools.search.gitignore import IgnoreFile, ignored, parse

SKIPPED = (".git", ".roocode/worktrees", ".roocode/teams")
"""Never looked into: git's own files, and the other agents' working trees and state."""


def walk(root: Path, chosen: Callable[[str], bool] | None = None, *, at: Path | None = None) -> Iterator[str]:
    """Yields the regular files below `root`, relative to it. Links are not followed, hidden files count.

    What `chosen` accepts is there even if it is ignored, as a glob does in ripgrep. Directories that cannot
    be read are passed over. `at` is another path to `root`, by which it is entered.
    """
    at = at or root
    bounded = in_repository(root)
    waiting: list[tuple[str, tuple[IgnoreFile, ...]]] = [("", _above(root))]
    while waiting:
        folder, rules = waiting.pop()
        try:
            entries = sorted(os.scandir(at / folder), key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        names = {entry.name for entry in entries}
        if bounded and folder and ".git" in names:
            rules = ()
        if ".gitignore" in names:
            rules = (*rules, _read(at / folder / ".gitignore", folder=folder))
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_folder or entry.is_file(follow_symlinks=False)) or _skipped(path):
                continue
            if ignored(path, folder=is_folder, files=rules) and not (chosen and chosen(path)):
                continue
            if is_folder:
                waiting.append((path, rules))
            else:
                yield path


def _skipped(path: str) -> bool:
    return any(path == name or path.endswith(f"/{name}") for name in SKIPPED)


def in_repository(folder: Path) -> bool:
    """Whether a git repository holds this directory: ignore files above its top do not count."""
    return any((above / ".git").exists() for above in (folder, *folder.parents))


def _above(root: Path) -> tuple[IgnoreFile, ...]:
    """The ignore files of the directories above, outermost first, up to the repository's top."""
    found: list[IgnoreFile] = []
    for inner, folder in zip((root, *root.parents), root.parents, strict=False):
        if (inner / ".git").exists():
            break
        if (folder / ".gitignore").is_file():
            found.append(_read(folder / ".gitignore", above=root.relative_to(folder).as_posix()))
    return tuple(reversed(found))


def _read(file: Path, *, folder: str = "", above: str = "") -> IgnoreFile:
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        text = ""
    return parse(text, folder, above)
