"""Fetches one commit and reads its files, without ever checking them out.

A checkout would meet filters, attributes, submodules, links and names that the file system takes for others.
Here a commit is fetched into a repository of ours, which has no configuration of anybody, and its tree is
read as data.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git import Git, GitResult
from roocode.security.sandbox.git_transport import Reach, transport
from roocode.security.sandbox.process import outermost_checkout

MOST_BYTES = 1024 * 1024 * 1024
"""What a fetch may put on the disk."""
_BATCH_BYTES = 16 * 1024 * 1024
_LOOK_S = 0.2
_WHOLE = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PART = re.compile(r"[0-9a-f]{7,}")

T = TypeVar("T")


@frozen
class TreeEntry:
    """A file, link or submodule of a commit; `path` is below the directory that was listed."""

    path: str
    kind: Literal["file", "program", "link", "submodule"]
    oid: str
    size: int


@frozen
class Fetched:
    """One commit in a repository of ours."""

    git: Git
    commit: str

    async def entries(self, folder: str = "") -> tuple[TreeEntry, ...] | None:
        """Everything below a directory of the commit, or None where there is no such directory."""
        tree = f"{self.commit}:{folder}"
        kind = await self.git("cat-file", "-t", tree, ok=(0, 128))
        if kind.line != "tree":
            return None
        listed = await self.git("ls-tree", "-r", "-z", "-l", "--full-tree", tree)
        return tuple(map(_entry, listed.fields))

    async def contents(self, entries: Sequence[TreeEntry]) -> dict[str, bytes]:
        """The bytes of files and links, by path."""
        found: dict[str, bytes] = {}
        for batch in _batches(entries):
            asked = "".join(f"{entry.oid}\n" for entry in batch)
            said = await self.git("cat-file", "--batch", stdin=asked)
            data = said.out.encode("utf-8", "surrogateescape")
            at = 0
            for entry in batch:
                start = data.find(b"\n", at) + 1
                if data[at:start] != f"{entry.oid} blob {entry.size}\n".encode():
                    raise HostError(f"{entry.path} cannot be read from commit {self.commit}")
                found[entry.path] = data[start : start + entry.size]
                at = start + entry.size + 1
        return found


async def fetch(
    url: str, ref: str, reach: Reach, *, into: Path, cwd: Path, environ: Mapping[str, str]
) -> Fetched:
    """Fetches what `ref` (a branch, a tag, a commit; "" for the default branch) names now.

    `into` is an empty directory of ours. Raises UserError where there is no such repository or ref,
    HostError for what git or the host says.
    """
    person = await Git.open(cwd, environ)
    outside = outermost_checkout(cwd)
    way = transport(reach, person.program, person.user, environ, outside=outside)
    above = replace(person, cwd=into.resolve(), transport=way)
    await above("init", "--quiet", "--template=", ".")
    git = above.at(into)
    oid = ref if _WHOLE.fullmatch(ref) else await _named(git, url, ref)
    if oid:
        done = await _bounded(_fetch(git, "--depth=1", "--", url, oid), into)
        if done.code == 0:
            return Fetched(git, (await git("rev-parse", "--verify", f"{oid}^{{commit}}")).line)
        if not _WHOLE.fullmatch(ref):
            raise _failed(url, done)
    if not _PART.fullmatch(ref):
        raise UserError(f"{url} has no branch or tag {ref!r}", "name one that it has, or a commit")
    return Fetched(git, await _among_all(git, url, ref, into))


async def _named(git: Git, url: str, ref: str) -> str:
    """The object that a branch or tag names, "" where there is none of that name."""
    names = [f"refs/heads/{ref}", f"refs/tags/{ref}"] if ref else ["HEAD"]
    upload = _upload(git)
    said = await git("ls-remote", "--quiet", *upload, "--", url, *names, ok=tuple(range(256)))
    if said.code:
        raise _failed(url, said)
    found = {name: oid for oid, _, name in (line.partition("\t") for line in said.out.splitlines())}
    if not ref and not found:
        raise UserError(f"{url} has no commits", "name a repository with a default branch")
    return next((found[name] for name in names if name in found), "")


async def _among_all(git: Git, url: str, ref: str, into: Path) -> str:
    """A commit that the host gives only with its history, or that is abbreviated."""
    done = await _bounded(_fetch(git, "--", url, "+refs/*:refs/fetched/*"), into)
    if done.code:
        raise _failed(url, done)
    found = await git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", ok=(0, 1, 128))
    if found.code:
        raise UserError(f"{url} has no commit {ref}", "name one that it has")
    return found.line


async def _fetch(git: Git, *what: str) -> GitResult:
    options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", *_upload(git))
    return await git("fetch", *options, *what, ok=tuple(range(256)))


def _upload(git: Git) -> tuple[str, ...]:
    serving = git.transport.serving if git.transport else ""
    return (f"--upload-pack={serving}",) if serving else ()


async def _bounded(work: Coroutine[Any, Any, T], folder: Path) -> T:
    """Does the work, unless it fills the disk; a cancel ends git."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait([task], timeout=_LOOK_S))[0]:
            if await asyncio.to_thread(_size, folder) > MOST_BYTES:
                raise UserError(f"the repository is larger than {MOST_BYTES:,} bytes", "name a smaller one")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _failed(url: str, done: GitResult) -> HostError:
    said = done.err.strip().removeprefix("fatal: ")[-2000:] or f"git ended with {done.code}"
    return HostError(
        f"cannot fetch from {url}: {said}", "check the address, your access to it and the network"
    )


def _entry(line: str) -> TreeEntry:
    head, _, path = line.partition("\t")
    mode, kind, oid, size = head.split()
    if kind == "commit":
        return TreeEntry(path, "submodule", oid, 0)
    sort: Literal["file", "program", "link"] = "link" if mode == "120000" else "file"
    return TreeEntry(path, "program" if mode == "100755" else sort, oid, int(size))


def _batches(entries: Sequence[TreeEntry]) -> Iterator[list[TreeEntry]]:
    batch: list[TreeEntry] = []
    room = _BATCH_BYTES
    for entry in entries:
        if batch and entry.size > room:
            yield batch
            batch, room = [], _BATCH_BYTES
        batch.append(entry)
        room -= entry.size
    if batch:
        yield batch
