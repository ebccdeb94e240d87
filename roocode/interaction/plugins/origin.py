"""Reads what lies at an address into memory; nothing of it is run, and no link is followed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from roocode.interaction.plugins.address import Address
from roocode.interaction.plugins.folder import read_folder
from roocode.interaction.plugins.tree import Entry, Limits, Tree, without_links
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git_fetch import Fetched, fetch

_LFS = b"version https://git-lfs.github.com/spec/"


@frozen
class Read:
    """The files of a folder, and what of it was left out and why."""

    tree: Tree
    notes: tuple[str, ...] = ()


class Origin(Protocol):
    """Something with folders in it."""

    @property
    def commit(self) -> str:
        """The commit that is read, "" for a directory as it lies."""
        ...

    async def read(self, folder: str) -> Read | None:
        """All that is in a folder ("" for the top); None where there is no such folder. Raises UserError."""
        ...


async def open_origin(address: Address, *, into: Path, cwd: Path, environ: Mapping[str, str]) -> Origin:
    """What lies at an address, fetched `into` an empty directory of ours. Raises UserError and HostError."""
    if address.kind == "folder":
        path = Path(address.place)
        if not path.is_dir():
            raise UserError(f"there is no directory {path}", "name one that is there")
        return _Folder(path, str(address))
    if address.kind == "disk" and not Path(address.place).is_dir():
        raise UserError(f"there is no repository {address.place}", "name one that is there")
    fetched = await fetch(
        address.place,
        address.ref,
        "disk" if address.kind == "disk" else "host",
        into=into,
        cwd=cwd,
        environ=environ,
    )
    return _Commit(fetched, str(address))


class _Folder:
    """A directory as it lies now."""

    def __init__(self, top: Path, shown: str) -> None:
        self._top, self._shown = top, shown
        self.commit = ""

    async def read(self, folder: str) -> Read | None:
        top = self._top / folder
        if not top.is_dir() or not top.resolve().is_relative_to(self._top.resolve()):
            return None
        tree = without_links(await asyncio.to_thread(read_folder, top, self._shown), self._shown)
        return Read(tree, _notes(tree))


class _Commit:
    """A commit of a repository."""

    def __init__(self, fetched: Fetched, shown: str) -> None:
        self._fetched, self._shown = fetched, shown
        self.commit = fetched.commit

    async def read(self, folder: str) -> Read | None:
        entries = await self._fetched.entries(folder)
        if entries is None:
            return None
        limits = Limits(self._shown)
        for entry in entries:
            limits.take(entry.path, entry.size)
        modules = [entry.path for entry in entries if entry.kind == "submodule"]
        contents = await self._fetched.contents([each for each in entries if each.kind != "submodule"])
        tree: Tree = {
            each.path: Entry(each.kind, contents[each.path]) for each in entries if each.kind != "submodule"
        }
        without_links(tree, self._shown)
        return Read(
            tree, (*(f"{path}: a submodule, which is not fetched" for path in modules), *_notes(tree))
        )


def _notes(tree: Tree) -> tuple[str, ...]:
    pointers = [path for path, entry in tree.items() if entry.data.startswith(_LFS)]
    return tuple(f"{path}: kept by Git LFS, which is not asked: its content is missing" for path in pointers)
