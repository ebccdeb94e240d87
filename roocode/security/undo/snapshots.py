"""Snapshots of a checkout's tracked and untracked files, as trees under `refs/roocode/undo/`.

The index that they are made with is a private copy of the checkout's own, so that unchanged files are known
by their stat data. Contents are stored raw, as they are on disk: no filter, no change of line ends. A ref
names a tree and no commit, so that no log or graph of the person's shows it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git
from roocode.security.undo.contents import Contents, Entries, contents, objects
from roocode.security.undo.private_index import GITLINK, PrivateIndex
from roocode.security.undo.states import LARGEST, Change, FileState
from roocode.security.undo.trees import Trees, edits_of, written

UNDO: Final = "refs/roocode/undo"
MOST_FILES: Final = 10_000
"""Changed and untracked files; more are a build that nobody ignores."""


@frozen
class Taken:
    """A snapshot: its tree, and what it leaves out, with size and time of change (ns) of each.

    A path there that ends in a slash is a repository of its own. Paths are relative to the checkout's top.
    """

    tree: str
    left_out: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fields of a record."""
        return {"tree": self.tree, "leftOut": {path: list(sign) for path, sign in self.left_out.items()}}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Taken:
        """The inverse. Raises KeyError, TypeError or ValueError."""
        left_out = {str(path): (int(sign[0]), int(sign[1])) for path, sign in value["leftOut"].items()}
        return cls(str(value["tree"]), left_out)

    def leaves_out(self, path: str) -> bool:
        """Whether a path, or the repository that it lies in, is not in the snapshot."""
        return path in self.left_out or any(
            path.startswith(other) for other in self.left_out if other.endswith("/")
        )


@frozen
class Difference:
    """What changed between two snapshots; `unclear` are paths of which nobody knows what they were."""

    changes: tuple[Change, ...]
    unclear: tuple[str, ...] = ()


class Snapshots:
    """Snapshots of what lies below one directory of a checkout, for one session.

    `algorithm` is the repository's hash. Every method raises HostError.
    """

    def __init__(self, git: Git, index: PrivateIndex, session: str, prefix: str, algorithm: str) -> None:
        self.algorithm = algorithm
        self._git = git
        self._index = index
        self._session = session
        self._prefix = prefix
        self._null = "0" * (64 if algorithm == "sha256" else 40)
        self._contents = Contents()
        self._trees = Trees(algorithm)
        self._base = ""
        self._last = ""
        self._kept: set[str] = set()

    @classmethod
    async def open(
        cls, root: Path, index: Path, session: str, environ: Mapping[str, str]
    ) -> Snapshots | None:
        """Finds the checkout that `root` lies in; None where there is none. `index` is for a private one."""
        git = await Git.open(root, environ)
        files = ("--git-path", "index", "--git-path", "info/attributes")
        facts = ("--is-inside-work-tree", "--show-object-format", "--show-prefix")
        found = await git("rev-parse", *facts, *files, ok=(0, 128))
        if found.code and "not a git repository" not in found.err:
            raise HostError(f"git cannot work in {root}: {found.err.strip()}")
        inside, _, rest = found.line.partition("\n")
        if found.code or inside != "true":
            return None
        algorithm, _, rest = rest.partition("\n")
        prefix, own, attributes = rest.rsplit("\n", 2)
        private = PrivateIndex(index, root / own, root / attributes)
        return cls(git, private, session, prefix, algorithm)

    def path(self, relative: str) -> str:
        """The absolute path of one that is relative to the checkout's top."""
        return os.path.normpath(os.path.join(self._git.cwd, relative.removeprefix(self._prefix)))

    async def take(self, name: str) -> Taken:
        """Takes one, and keeps it under `refs/roocode/undo/<session>/<name>`.

        What did not change is not stored again. Files over LARGEST bytes, special files and repositories
        inside this one are left out; ignored ones are not seen. Where a file goes while it is read, or the
        private index is damaged, it is tried once more.
        """
        try:
            return await self._take(name)
        except HostError:
            self._index.forget()
            return await self._take(name)

    async def _take(self, name: str) -> Taken:
        git = await self._git.settled()
        if self._index.renew():
            self._base = ""
        is_new = not self._base
        converted = await self._index.converted(git) if is_new else ()
        found, left_out = self._sorted(await self._index.changed(git), converted)
        stored = await self._contents.store(git, found)
        entries = {self._prefix + path: entry for path, entry in stored.items()}
        if is_new:
            self._base = self._last = await self._index.begin(git, entries, self._null)
        else:
            self._last = await self._tree(git, entries)
        if self._last not in self._kept:
            await git("update-ref", f"{UNDO}/{self._session}/{name}", self._last)
            self._kept.add(self._last)
        return Taken(self._last, left_out)

    async def difference(
        self, before: Taken, after: Taken, unclear: Iterable[str] | None = None
    ) -> Difference:
        """What changed from one snapshot to another.

        A new file that git ignores, or that is new while what git ignores changed too, may have been there,
        unseen: it is unclear, as is what one of the two leaves out. `unclear` is what was found so when the
        second was taken, since what git ignores may have changed since.
        """
        fields: list[str] = []
        if before.tree != after.tree:
            args = ("diff-tree", "-r", "-z", "--raw", "--no-renames", before.tree, after.tree)
            fields = (await self._git(*args)).fields
        pairs = list(zip(fields[::2], fields[1::2], strict=True))
        added = [path for words, path in pairs if not int(words.split(" ")[2], 16)]
        doubtful: frozenset[str] = frozenset()
        if unclear is None:
            doubtful = await self._maybe_ignored(added, [path for _, path in pairs])
        changes, left = [], set(unclear or ())
        for words, path in pairs:
            old_mode, new_mode, old, new, _ = words.removeprefix(":").split(" ")
            if not path.startswith(self._prefix):
                continue
            hidden = before.leaves_out(path) or after.leaves_out(path) or GITLINK in (old_mode, new_mode)
            if hidden or path in doubtful:
                left.add(self.path(path))
            elif self.path(path) not in left:
                changes.append(Change(self.path(path), _state(old_mode, old), _state(new_mode, new)))
        both = before.left_out.keys() | after.left_out.keys()
        moved = (path for path in both if before.left_out.get(path) != after.left_out.get(path))
        left |= {self.path(path) for path in moved if not path.endswith("/")}
        return Difference(tuple(changes), tuple(sorted(left)))

    async def _maybe_ignored(self, added: Sequence[str], changed: Iterable[str]) -> frozenset[str]:
        """Those of the new paths that may have been ignored before."""
        if any(os.path.basename(path) == ".gitignore" for path in changed):
            return frozenset(path for path in added if os.path.basename(path) != ".gitignore")
        if not added:
            return frozenset()
        names = "".join(f"{self.path(path)}\0" for path in added if path.startswith(self._prefix))
        found = await self._git("check-ignore", "--no-index", "-z", "--stdin", stdin=names, ok=(0, 1, 128))
        if found.code == 128:
            return frozenset(added)
        ignored = set(found.fields)
        return frozenset(path for path in added if self.path(path) in ignored)

    async def contents(self, states: Iterable[FileState]) -> dict[str, bytes]:
        """The contents of states, by their ids."""
        return await contents(self._git, states)

    def _sorted(
        self, changed: Sequence[str], converted: Iterable[str]
    ) -> tuple[dict[str, os.stat_result | None], dict[str, tuple[int, int]]]:
        """What is to be stored, None for a file that is gone; and what is left out."""
        found: dict[str, os.stat_result | None] = {}
        left_out: dict[str, tuple[int, int]] = {}
        for path in dict.fromkeys((*changed, *converted)):
            try:
                status = os.lstat(os.path.join(self._git.cwd, path))
            except (FileNotFoundError, NotADirectoryError):
                found[path] = None
                continue
            except OSError as error:
                raise HostError(f"cannot look at {path}: {error.strerror}") from error
            if stat.S_ISDIR(status.st_mode):
                if path.endswith("/") or os.path.lexists(os.path.join(self._git.cwd, path, ".git")):
                    left_out[self._prefix + path.rstrip("/") + "/"] = (0, 0)
                else:
                    found[path] = None
            elif not self._is_kept(path, status):
                left_out[self._prefix + path] = (status.st_size, status.st_mtime_ns)
                found[path] = None
            else:
                found[path] = status
        if len(found) > MOST_FILES:
            raise HostError(
                f"{len(found)} files differ from the last commit or are new: too many to keep",
                "Name what a build makes in .gitignore.",
            )
        return found, left_out

    async def _tree(self, git: Git, entries: Entries) -> str:
        """The tree of the private index with these entries, made without writing an index."""
        edits = edits_of(entries)
        while unknown := list(self._trees.unknown(self._base, edits)):
            for identifier, raw in zip(unknown, await objects(git, unknown), strict=True):
                self._trees.learn(identifier, raw)
        tree, new = self._trees.build(self._base, edits)
        if new and tree != self._last:
            await git("mktree", "--batch", "-z", "--missing", stdin=written(new))
        return tree

    def _is_kept(self, path: str, status: os.stat_result) -> bool:
        if not stat.S_ISREG(status.st_mode):
            return stat.S_ISLNK(status.st_mode)
        return status.st_size <= LARGEST and os.access(os.path.join(self._git.cwd, path), os.R_OK)


async def forget(root: Path, sessions: Iterable[str], environ: Mapping[str, str]) -> None:
    """Removes the snapshots of sessions; nothing where `root` is in no repository. Raises HostError."""
    refs = [f"{UNDO}/{session}/" for session in sessions]
    if not refs:
        return
    git = await Git.open(root, environ)
    found = await git("for-each-ref", "--format=delete %(refname)", *refs, ok=(0, 128))
    if found.out:
        await git("update-ref", "--stdin", stdin=found.out)


def _state(mode: str, blob: str) -> FileState | None:
    return FileState(mode, blob) if int(mode, 8) else None
