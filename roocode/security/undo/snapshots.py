"""Snapshots of a checkout's tracked and untracked files, as trees under `refs/roocode/undo/`.

The index that they are made with is a private copy of the checkout's own, so that unchanged files are known
by their stat data. Contents are stored raw, as they are on disk: no filter, no change of line ends. A ref
names a tree and no commit, so that no log or graph of the person's shows it.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git
from roocode.security.undo.states import LARGEST, LINK, Change, FileState, checked, mode_of
from roocode.security.undo.trees import Trees, edits_of, written

UNDO: Final = "refs/roocode/undo"
MOST_FILES: Final = 10_000
"""Changed and untracked files; more are a build that nobody ignores."""
SETTLED_NS: Final = 100_000_000
"""More than the clock of any file system's times ticks."""
_TOGETHER: Final = 6
"""Contents that are read at once: so many of the largest fit what is taken of a program's output."""
_GITLINK: Final = "160000"
_OURS: Final = ".roocode"
_ENTRY = re.compile(r"(\d{6}) ([0-9a-f]+) 0\t([^\0]*)\0.*?\bsize: (\d+)\tflags", re.DOTALL)
_CONVERTS = r"^(core\.(autocrlf|eol|attributesfile)|filter\..*)$"


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
class _Known:
    """A content that was stored: the file's stat data, and when it was read (ns)."""

    sign: tuple[int, ...]
    at: int
    blob: str

    @property
    def is_settled(self) -> bool:
        """Whether the file was old enough then: a later change has another time."""
        return max(self.sign[-2:]) < self.at - SETTLED_NS


@frozen
class Difference:
    """What changed between two snapshots; `unclear` are paths of which nobody knows what they were."""

    changes: tuple[Change, ...]
    unclear: tuple[str, ...] = ()


class Snapshots:
    """Snapshots of what lies below one directory of a checkout, for one session.

    `index` is the private index file, `algorithm` the repository's hash. Every method raises HostError.
    """

    def __init__(
        self, git: Git, index: Path, session: str, prefix: str, own_index: Path, algorithm: str
    ) -> None:
        self.algorithm = algorithm
        self._git = git
        self._index = index
        self._session = session
        self._prefix = prefix
        self._own_index = own_index
        self._copied: tuple[int, ...] = ()
        self._last = ""
        self._kept: set[str] = set()
        self._known: dict[str, _Known] = {}
        self._base = ""
        self._trees = Trees(algorithm)

    @classmethod
    async def open(
        cls, root: Path, index: Path, session: str, environ: Mapping[str, str]
    ) -> Snapshots | None:
        """Finds the checkout that `root` lies in; None where there is none."""
        git = await Git.open(root, environ)
        asked = ("--is-inside-work-tree", "--show-object-format", "--show-prefix", "--git-path", "index")
        found = await git("rev-parse", *asked, ok=(0, 128))
        if found.code and "not a git repository" not in found.err:
            raise HostError(f"git cannot work in {root}: {found.err.strip()}")
        inside, _, rest = found.line.partition("\n")
        if found.code or inside != "true":
            return None
        algorithm, _, rest = rest.partition("\n")
        prefix, _, own_index = rest.rpartition("\n")
        return cls(git, index, session, prefix, root / own_index, algorithm)

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
            self._copied = ()
            return await self._take(name)

    async def _take(self, name: str) -> Taken:
        git = await self._git.settled()
        fresh = self._copy_index()
        converted = await self._converted(git) if fresh else ()
        found, left_out = self._sorted(await self._changed(git), converted)
        entries = await self._entries(git, found)
        self._last = await (self._begin(git, entries) if fresh else self._tree(git, entries))
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
            hidden = before.leaves_out(path) or after.leaves_out(path) or _GITLINK in (old_mode, new_mode)
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
        wanted = {state.blob: state for state in states}
        ids = list(wanted)
        found: dict[str, bytes] = {}
        for start in range(0, len(ids), _TOGETHER):
            some = ids[start : start + _TOGETHER]
            stream = (await self._git("cat-file", "--batch", stdin="".join(f"{each}\n" for each in some))).out
            raw = _objects(stream.encode("utf-8", "surrogateescape"), len(some))
            found |= {each: checked(content, wanted[each]) for each, content in zip(some, raw, strict=True)}
        return found

    def _copy_index(self) -> bool:
        """Copies the checkout's index where that is new, for its stat data, and says whether it did."""
        try:
            status = self._own_index.stat()
            sign: tuple[int, ...] = (status.st_ino, status.st_size, status.st_mtime_ns)
        except FileNotFoundError:
            sign = (0,)
        if sign == self._copied and (self._index.exists() or not any(sign)):
            return False
        try:
            self._index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._index.unlink(missing_ok=True)
            Path(f"{self._index}.lock").unlink(missing_ok=True)
            if any(sign):
                # With its time: by that git knows which files may have changed in the second of the index.
                shutil.copy2(self._own_index, self._index)
        except OSError as error:
            raise HostError(f"cannot write {self._index}: {error.strerror}") from error
        self._copied, self._last = sign, ""
        return True

    async def _changed(self, git: Git) -> list[str]:
        """Paths (relative to the directory) that differ by their stat data, and untracked ones."""
        tracked = ("diff-files", "-z", "--name-only", "--relative", "--no-renames", "--ignore-submodules=all")
        untracked = ("ls-files", "-z", "--others", "--exclude-standard")
        edited, new = await asyncio.gather(
            git(*tracked, index=self._index), git(*untracked, index=self._index)
        )
        paths = dict.fromkeys((*edited.fields, *new.fields))
        return [path for path in paths if _OURS not in path.split("/")]

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

    async def _entries(
        self, git: Git, found: Mapping[str, os.stat_result | None]
    ) -> dict[str, tuple[str, str] | None]:
        """Stores contents. Mode and id of each path (relative to the top), None where it is gone."""
        there = {path: status for path, status in found.items() if status}
        blobs = {path: blob for path, status in there.items() if (blob := self._blob(path, status))}
        now = time.time_ns()
        new = await self._store(git, {path: there[path] for path in there.keys() - blobs.keys()})
        self._known |= {path: _Known(_sign(there[path]), now, blob) for path, blob in new.items()}
        blobs |= new
        return {
            self._prefix + path: (mode_of(status), blobs[path]) if status else None
            for path, status in found.items()
        }

    async def _begin(self, git: Git, entries: Mapping[str, tuple[str, str] | None]) -> str:
        """Puts all that differs into the new private index, and makes the tree that later ones build on."""
        if entries:
            nothing = "0" * (64 if self.algorithm == "sha256" else 40)
            gone = "".join(f"0 {nothing}\t{path}\0" for path in entries)
            put = (f"{entry[0]} {entry[1]} 0\t{path}\0" for path, entry in entries.items() if entry)
            await git("update-index", "-z", "--index-info", stdin=gone + "".join(put), index=self._index)
        self._base = (await git("write-tree", index=self._index)).line
        return self._base

    async def _tree(self, git: Git, entries: Mapping[str, tuple[str, str] | None]) -> str:
        """The tree of the private index with these entries, made without writing an index."""
        edits = edits_of(entries)
        while unknown := list(self._trees.unknown(self._base, edits)):
            asked = "".join(f"{each}\n" for each in unknown)
            stream = (await git("cat-file", "--batch", stdin=asked)).out.encode("utf-8", "surrogateescape")
            for identifier, raw in zip(unknown, _objects(stream, len(unknown)), strict=True):
                self._trees.learn(identifier, raw)
        tree, new = self._trees.build(self._base, edits)
        if new and tree != self._last:
            await git("mktree", "--batch", "-z", "--missing", stdin=written(new))
        return tree

    def _is_kept(self, path: str, status: os.stat_result) -> bool:
        if not stat.S_ISREG(status.st_mode):
            return stat.S_ISLNK(status.st_mode)
        return status.st_size <= LARGEST and os.access(os.path.join(self._git.cwd, path), os.R_OK)

    async def _store(self, git: Git, files: Mapping[str, os.stat_result]) -> dict[str, str]:
        """Stores contents, as they are, and returns their ids."""
        stored = ("hash-object", "-w", "--no-filters")
        links = [path for path, status in files.items() if stat.S_ISLNK(status.st_mode)]
        plain = [path for path, status in files.items() if not stat.S_ISLNK(status.st_mode)]
        blobs: dict[str, str] = {}
        if plain:
            names = "".join(f"{_quoted(os.path.join(self._git.cwd, path))}\n" for path in plain)
            ids = (await git(*stored, "--stdin-paths", stdin=names)).out.split()
            blobs |= zip(plain, ids, strict=True)
        for path in links:
            target = os.readlink(os.path.join(self._git.cwd, path))
            blobs[path] = (await git(*stored, "--stdin", stdin=target)).line
        return blobs

    def _blob(self, path: str, status: os.stat_result) -> str:
        """The id of a content that was stored before and is surely the same by its stat data, else ""."""
        known = self._known.get(path)
        is_same = known is not None and known.sign == _sign(status) and known.is_settled
        return known.blob if known is not None and is_same else ""

    async def _converted(self, git: Git) -> tuple[str, ...]:
        """Tracked files that are not on disk as they are stored: by line ends, filters, or another encoding.

        They differ in size. Looked for only where something may convert, once for each copy of the index.
        """
        names = (await git("ls-files", "-z", index=self._index)).out
        attributes = self._own_index.parent / "info" / "attributes"
        if ".gitattributes\0" not in names and not attributes.exists():
            config = ("config", "--includes", "--name-only", "-z", "--get-regexp", _CONVERTS)
            if not (await git(*config, ok=(0, 1))).out:
                return ()
        listing = (await git("ls-files", "-z", "--stage", "--debug", index=self._index)).out
        entries = [match.groups() for match in _ENTRY.finditer(listing)]
        entries = [entry for entry in entries if entry[0] not in (LINK, _GITLINK) and int(entry[3])]
        ids = "".join(f"{blob}\n" for _, blob, _, _ in entries)
        sizes = (await git("cat-file", "--batch-check=%(objectsize)", stdin=ids)).out.split("\n")
        return tuple(
            path for (_, _, path, size), stored in zip(entries, sizes, strict=False) if size != stored
        )


async def forget(root: Path, sessions: Iterable[str], environ: Mapping[str, str]) -> None:
    """Removes the snapshots of sessions; nothing where `root` is in no repository. Raises HostError."""
    git = await Git.open(root, environ)
    for session in sessions:
        found = await git("for-each-ref", "--format=delete %(refname)", f"{UNDO}/{session}/", ok=(0, 128))
        if found.out:
            await git("update-ref", "--stdin", stdin=found.out)


def _sign(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _state(mode: str, blob: str) -> FileState | None:
    return FileState(mode, blob) if int(mode, 8) else None


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
