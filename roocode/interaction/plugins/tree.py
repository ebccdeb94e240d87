"""The files of a plugin as data, before any of them is written: names, links and sizes are judged here."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

MOST_FILES = 10_000
MOST_BYTES = 64 * 1024 * 1024
MOST_LINKS = 200
LARGEST = 16 * 1024 * 1024
DEEPEST = 24
LONGEST_PATH = 400
LONGEST_NAME = 200

MEND = "ask its author to mend it, or install a copy without it"

LinkKind: TypeAlias = Literal["file", "program", "link"]


@frozen
class Entry:
    """A file, one that may be executed, or a link, whose data is where it leads."""

    kind: LinkKind
    data: bytes

    @property
    def text(self) -> str | None:
        """What it says, None where it is no UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None


Tree: TypeAlias = Mapping[str, Entry]
"""Every file and link by its path below the plugin's folder."""


class Limits:
    """Counts what is taken into a tree; raises UserError at what is too much or oddly named."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._room = MOST_BYTES
        self._spellings: dict[str, str] = {}
        self._files = 0

    def take(self, path: str, size: int) -> None:
        """Takes one file or link into account, before it is read."""
        self._files += 1
        self._room -= size
        if self._files > MOST_FILES:
            raise self._refusal(f"more than {MOST_FILES:,} files")
        if size > LARGEST:
            raise self._refusal(f"{visible(path)} is larger than {LARGEST:,} bytes")
        if self._room < 0:
            raise self._refusal(f"more than {MOST_BYTES:,} bytes of files")
        self._check_name(path)

    def _check_name(self, path: str) -> None:
        parts = path.split("/")
        if (
            len(path) > LONGEST_PATH
            or len(parts) > DEEPEST
            or any(len(part) > LONGEST_NAME for part in parts)
        ):
            raise self._refusal(f"{visible(path[:80])}… is named or nested beyond measure")
        if visible(path) != path or "\n" in path or "\t" in path:
            raise self._refusal(f"{visible(path)!r} has characters that are not seen")
        if "\\" in path or any(_is_trick(part) for part in parts):
            raise self._refusal(f"{visible(path)!r} is no plain name of a file")
        for above in _with_parents(path):
            spelled = self._spellings.setdefault(_folded(above), above)
            if spelled != above:
                raise self._refusal(f"{spelled} and {above} are one name on some disks")

    def _refusal(self, what: str) -> UserError:
        return UserError(f"{self._shown} is refused: {what}", MEND)


def without_links(tree: Tree, shown: str) -> Tree:
    """The tree with a copy of what each link leads to in its place.

    Raises UserError for a link that leads outside, to nothing, or by way of another link.
    """
    plain = {path: entry for path, entry in tree.items() if entry.kind != "link"}
    folders = {above for path in tree for above in _with_parents(posixpath.dirname(path))}
    linked: dict[str, str] = {}
    for path, entry in tree.items():
        if entry.kind == "link":
            target = entry.data.decode("utf-8", "surrogateescape")
            reached, fault = _reached(path, target, tree, folders)
            if fault:
                raise UserError(f"{shown} is refused: the link {path} → {visible(target)!r} {fault}", MEND)
            linked[path] = reached
    if len(linked) > MOST_LINKS:
        raise UserError(f"{shown} is refused: more than {MOST_LINKS:,} links", MEND)
    plain |= {path: plain[reached] for path, reached in linked.items() if reached in plain}
    limits = Limits(shown)
    for path, entry in plain.items():
        limits.take(path, len(entry.data))
    # Links to folders in a linked folder are not copied along: they could unfold without bound.
    whole = dict(plain)
    for path, reached in linked.items():
        for inner, entry in below(plain, reached) if reached in folders else ():
            copy = path + inner.removeprefix(reached)
            limits.take(copy, len(entry.data))
            whole[copy] = entry
    return whole


def digest(tree: Tree) -> str:
    """SHA-256 over names, kinds and contents of all."""
    import hashlib

    whole = hashlib.sha256()
    for path in sorted(tree):
        entry = tree[path]
        whole.update(f"{path}\0{entry.kind}\0{hashlib.sha256(entry.data).hexdigest()}\n".encode())
    return whole.hexdigest()


def below(tree: Tree, folder: str) -> Iterator[tuple[str, Entry]]:
    """What lies below a folder ("" for all), or is that file."""
    start = f"{folder}/" if folder else ""
    return ((path, entry) for path, entry in sorted(tree.items()) if path.startswith(start) or path == folder)


def has_folder(tree: Tree, folder: str) -> bool:
    """Whether there is such a folder with something in it."""
    return any(path.startswith(f"{folder}/") for path in tree)


def _reached(path: str, target: str, tree: Tree, folders: set[str]) -> tuple[str, str]:
    """What a link leads to, and what is wrong with that."""
    at = posixpath.dirname(path).split("/") if "/" in path else []
    for part in target.split("/"):
        if part == "..":
            if not at:
                return "", "leads outside"
            at.pop()
        elif part not in ("", "."):
            at.append(part)
        here = "/".join(at)
        if here in tree and tree[here].kind == "link":
            return "", "leads to another link"
    reached = "/".join(at)
    if target.startswith("/"):
        return "", "leads outside"
    if not reached or f"{path}/".startswith(f"{reached}/"):
        return "", "leads to a folder that it is in"
    return reached, "" if reached in tree or reached in folders else "leads to nothing in the plugin"


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = posixpath.dirname(path)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _is_trick(part: str) -> bool:
    return part in ("", ".", "..") or _folded(part).rstrip(" .") in ("", ".git", "git~1")
