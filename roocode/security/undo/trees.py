"""Git's trees, changed at some paths: pure. It spares reading and writing a large index for each snapshot."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Entry: TypeAlias = tuple[str, str]
"""Mode and id."""
Tree: TypeAlias = Mapping[bytes, Entry]
_FOLDER: Final = "40000"


@dataclass(slots=True)
class Edits:
    """What changes in a directory: files that are set, those that are gone, and directories with changes."""

    files: dict[bytes, Entry | None] = field(default_factory=dict)
    folders: dict[bytes, Edits] = field(default_factory=dict)


def edits_of(paths: Mapping[str, Entry | None]) -> Edits:
    """Sorts changes of paths by their directories."""
    top = Edits()
    for path, entry in paths.items():
        *folders, name = os.fsencode(path).split(b"/")
        here = top
        for folder in folders:
            here = here.folders.setdefault(folder, Edits())
        here.files[name] = entry
    return top


class Trees:
    """The trees of a repository that were read so far; `algorithm` is its hash."""

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._known: dict[str, Tree] = {}

    def learn(self, identifier: str, raw: bytes) -> None:
        """Takes in a tree as git stores it: mode, blank, name, NUL, id as bytes; again and again."""
        size, position = hashlib.new(self._algorithm, usedforsecurity=False).digest_size, 0
        tree: dict[bytes, Entry] = {}
        while position < len(raw):
            mode, _, name = raw[position : (end := raw.index(b"\0", position))].partition(b" ")
            position = end + 1 + size
            tree[name] = (mode.decode(), raw[end + 1 : position].hex())
        self._known[identifier] = tree

    def unknown(self, identifier: str, edits: Edits) -> Iterator[str]:
        """Trees that must be read before `build`; after these there may be more."""
        tree = self._known.get(identifier)
        if tree is None:
            yield identifier
            return
        for name, inner in edits.folders.items():
            mode, child = tree.get(name, ("", ""))
            if mode == _FOLDER:
                yield from self.unknown(child, inner)

    def build(self, identifier: str, edits: Edits) -> tuple[str, dict[str, Tree]]:
        """The id of a tree with its changes, and the trees that are new, the inner ones first."""
        new: dict[str, Tree] = {}
        return self._changed(self._known[identifier], edits, new), new

    def _changed(self, tree: Tree, edits: Edits, new: dict[str, Tree]) -> str:
        result = dict(tree)
        for name, inner in edits.folders.items():
            mode, child = tree.get(name, ("", ""))
            within = self._known[child] if mode == _FOLDER else {}
            made: dict[str, Tree] = {}
            folder = self._changed(within, inner, made)
            if made.get(folder, self._known.get(folder)):
                new |= made
                result[name] = (_FOLDER, folder)
            elif mode == _FOLDER:
                del result[name]
        for name, entry in edits.files.items():
            if entry is not None:
                result[name] = entry
            elif result.get(name, ("", ""))[0] != _FOLDER:
                result.pop(name, None)
        identifier = self._id(result)
        if identifier not in self._known:
            new[identifier] = result
        return identifier

    def _id(self, tree: Tree) -> str:
        ordered = sorted(tree.items(), key=lambda item: item[0] + b"/" * (item[1][0] == _FOLDER))
        raw = b"".join(
            b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(child)) for name, (mode, child) in ordered
        )
        header = b"tree %d\0" % len(raw)
        return hashlib.new(self._algorithm, header + raw, usedforsecurity=False).hexdigest()


def written(trees: Mapping[str, Tree]) -> str:
    """Trees as `git mktree --batch -z` reads them."""
    kinds = {_FOLDER: "tree", "160000": "commit"}
    return "".join(
        "".join(
            f"{mode} {kinds.get(mode, 'blob')} {child}\t{os.fsdecode(name)}\0"
            for name, (mode, child) in tree.items()
        )
        + "\0"
        for tree in trees.values()
    )
