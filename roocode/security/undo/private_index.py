"""A private copy of a checkout's index: by its stat data unchanged files are known without reading them."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from typing import Final

from roocode.protocol.errors import HostError
from roocode.security.isolation.private_paths import make_private
from roocode.security.sandbox.git import Git
from roocode.security.undo.contents import Entries
from roocode.security.undo.states import LINK

GITLINK: Final = "160000"
_OURS: Final = ".roocode"
_ENTRY = re.compile(r"(\d{6}) ([0-9a-f]+) 0\t([^\0]*)\0.*?\bsize: (\d+)\tflags", re.DOTALL)
_CONVERTS = r"^(core\.(autocrlf|eol|attributesfile)|filter\..*)$"


class PrivateIndex:
    """The copy `file` of the index `own`; `attributes` is the checkout's own file of them.

    Paths are relative to git's directory, but for those of `begin`. Every method raises HostError.
    """

    def __init__(self, file: Path, own: Path, attributes: Path) -> None:
        self._file = file
        self._own = own
        self._attributes = attributes
        self._copied: tuple[int, ...] = ()

    def forget(self) -> None:
        """The next `renew` copies in any case."""
        self._copied = ()

    def renew(self) -> bool:
        """Copies the checkout's index where that is new, and says whether it did; `begin` comes next then."""
        try:
            status = self._own.stat()
            sign: tuple[int, ...] = (status.st_ino, status.st_size, status.st_mtime_ns)
        except FileNotFoundError:
            sign = (0,)
        if sign == self._copied and (self._file.exists() or not any(sign)):
            return False
        try:
            make_private(self._file.parent)
            self._file.unlink(missing_ok=True)
            Path(f"{self._file}.lock").unlink(missing_ok=True)
            if any(sign):
                # With its time: by that git knows which files may have changed in the second of the index.
                shutil.copy2(self._own, self._file)
        except OSError as error:
            raise HostError(f"cannot write {self._file}: {error.strerror}") from error
        self._copied = sign
        return True

    async def changed(self, git: Git) -> list[str]:
        """Paths (relative to the directory) that differ by their stat data, and untracked ones."""
        tracked = ("diff-files", "-z", "--name-only", "--relative", "--no-renames", "--ignore-submodules=all")
        untracked = ("ls-files", "-z", "--others", "--exclude-standard")
        edited, new = await asyncio.gather(git(*tracked, index=self._file), git(*untracked, index=self._file))
        paths = dict.fromkeys((*edited.fields, *new.fields))
        return [path for path in paths if _OURS not in path.split("/")]

    async def converted(self, git: Git) -> tuple[str, ...]:
        """Tracked files that are not on disk as they are stored: by line ends, filters, or another encoding.

        They differ in size. Looked for only where something may convert, once for each copy of the index.
        """
        names = (await git("ls-files", "-z", index=self._file)).out
        if ".gitattributes\0" not in names and not self._attributes.exists():
            config = ("config", "--includes", "--name-only", "-z", "--get-regexp", _CONVERTS)
            if not (await git(*config, ok=(0, 1))).out:
                return ()
        listing = (await git("ls-files", "-z", "--stage", "--debug", index=self._file)).out
        entries = [match.groups() for match in _ENTRY.finditer(listing)]
        entries = [entry for entry in entries if entry[0] not in (LINK, GITLINK) and int(entry[3])]
        ids = "".join(f"{blob}\n" for _, blob, _, _ in entries)
        sizes = (await git("cat-file", "--batch-check=%(objectsize)", stdin=ids)).out.split("\n")
        return tuple(
            path for (_, _, path, size), stored in zip(entries, sizes, strict=False) if size != stored
        )

    async def begin(self, git: Git, entries: Entries, null: str) -> str:
        """Puts all that differs (paths from the checkout's top) into a new copy; the tree of it.

        `null` is the id of nothing.
        """
        if entries:
            gone = "".join(f"0 {null}\t{path}\0" for path in entries)
            put = (f"{entry[0]} {entry[1]} 0\t{path}\0" for path, entry in entries.items() if entry)
            await git("update-index", "-z", "--index-info", stdin=gone + "".join(put), index=self._file)
        return (await git("write-tree", index=self._file)).line
