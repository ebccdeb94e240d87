"""Where a plugin or a marketplace comes from, as people write it: pure.

`SOURCE[#REF[:FOLDER]]` for all, and also `@REF` behind a repository, `OWNER/REPO/FOLDER`, and the address of
a folder as GitHub's pages have it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

Kind: TypeAlias = Literal["folder", "host", "disk"]

MEND = "name a directory (./plugin), a git address (https, ssh, git+file) or OWNER/REPO"
_LOCAL = (".", "/", "~")
_SHORT = re.compile(r"([A-Za-z0-9][\w-]*)/([\w][\w.-]*)((?:/[\w.][\w.-]*)*)")
_SCP = re.compile(r"([\w.-]+@)?[A-Za-z0-9][\w.-]*:(?!/)[\w.~][^\s:]*")
_REF = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][\w./+-]*")
_TREE = re.compile(r"(/[^/]+/[^/]+)/tree/([^/]+)(?:/(.+))?")


@frozen
class Address:
    """A directory as it lies (`folder`), a repository on a host, or one on this disk; `place` is path or URL.

    `ref` is a branch, tag or commit, "" for the default branch; `folder` is below the top.
    """

    kind: Kind
    place: str
    ref: str = ""
    folder: str = ""

    def __str__(self) -> str:
        if self.kind == "folder":
            return f"{self.place}/{self.folder}".rstrip("/")
        place = f"git+file://{self.place}" if self.kind == "disk" else self.place
        behind = f"{self.ref}:{self.folder}" if self.folder else self.ref
        return f"{place}#{behind}" if behind else place

    @property
    def name(self) -> str:
        """The last part of the path: what a plugin without a name of its own is called."""
        path = self.folder or re.split(r"[/:]", self.place.rstrip("/"))[-1]
        return PurePosixPath(path).name.removesuffix(".git")


def parse_address(text: str, cwd: Path) -> Address:
    """The address in a text; a relative path is one below `cwd`. Raises UserError."""
    text = text.strip()
    if not text or visible(text) != text or "\n" in text:
        raise UserError(f"{visible(text)!r} is no source of a plugin", MEND)
    if text.startswith(_LOCAL):
        return _local(text, cwd)
    base, _, behind = text.partition("#")
    ref, _, folder = behind.partition(":")
    if base.startswith(("git+file://", "file://")):
        base, ref = _with_ref(base, ref)
        path = base.removeprefix("git+").removeprefix("file://")
        return Address("disk", _absolute(path), checked_ref(ref), checked_folder(folder))
    base, ref = _with_ref(base, ref)
    if (short := _SHORT.fullmatch(base)) and "://" not in base:
        if (cwd / base).exists():
            raise UserError(f"{base} is a directory here, and a repository's short name", f"write ./{base}")
        folder = folder or short[3].lstrip("/")
        url = f"https://github.com/{short[1]}/{short[2].removesuffix('.git')}"
        return Address("host", url, checked_ref(ref), checked_folder(folder))
    return _hosted(base, ref, folder)


def checked_folder(folder: str) -> str:
    """A path below the top in its plain spelling; raises UserError for one that leads out."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith(("/", "~")) or ".." in parts or "\\" in folder or visible(folder) != folder:
        raise UserError(f"the folder {visible(folder)!r} leads out of its source", "name one inside it")
    return "/".join(parts)


def checked_ref(ref: str) -> str:
    """A branch, tag or commit; raises UserError for what git could take for something else."""
    if ref and not _REF.fullmatch(ref):
        raise UserError(f"{visible(ref)!r} is no branch, tag or commit", "name one as git lists it")
    return ref


def to_data(address: Address) -> dict[str, str]:
    """The address as JSON data."""
    return {
        "kind": address.kind,
        "place": address.place,
        "ref": address.ref,
        "folder": address.folder,
    }


def from_data(data: Any) -> Address:
    """The address in JSON data that we wrote; raises KeyError, TypeError or ValueError."""
    kind: Kind = {"folder": "folder", "host": "host", "disk": "disk"}[data["kind"]]  # type: ignore[assignment]
    return Address(kind, str(data["place"]), str(data["ref"]), str(data["folder"]))


def _local(text: str, cwd: Path) -> Address:
    """A directory; with a `#REF` or `#REF:FOLDER` behind it, that commit of a repository."""
    whole = os.path.normpath(cwd / Path(text).expanduser())
    if os.path.isdir(whole) or "#" not in text:
        return Address("folder", whole)
    base, _, behind = text.rpartition("#")
    ref, _, folder = behind.partition(":")
    place = os.path.normpath(cwd / Path(base).expanduser())
    if not ref:
        return Address("folder", place, folder=checked_folder(folder))
    return Address("disk", place, checked_ref(ref), checked_folder(folder))


def _with_ref(base: str, ref: str) -> tuple[str, str]:
    """Splits `@REF` off, which stands behind the path: an `@` before it belongs to the host."""
    head, at, last = base.rpartition("@")
    is_behind = at and ("/" in head.partition("://")[2] or ("://" not in head and re.search(r"[/:]", head)))
    return (head, ref or last) if is_behind else (base, ref)


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise UserError(f"git+file://{path} is no absolute path", "write git+file:///path/to/repository")
    return os.path.normpath(path)


def _hosted(base: str, ref: str, folder: str) -> Address:
    if _SCP.fullmatch(base) and "://" not in base:
        return Address("host", base, checked_ref(ref), checked_folder(folder))
    url = base.removeprefix("git+")
    try:
        parts = urlsplit(url)
        host, password = parts.hostname or "", parts.password
    except ValueError as error:
        raise UserError(f"{base} is no address: {error}", MEND) from error
    if parts.scheme not in ("https", "ssh"):
        what = "is not encrypted" if parts.scheme in ("http", "git") else "is no source of a plugin"
        raise UserError(f"{base} {what}", MEND)
    if password is not None or (parts.scheme == "https" and parts.username):
        raise UserError(
            f"{parts.scheme}://{host}: an address holds no password or token", "use a credential helper"
        )
    if not host or host.startswith("-") or not parts.path.strip("/") or parts.query or " " in url:
        raise UserError(f"{base} is no address of a repository", MEND)
    if (page := _TREE.fullmatch(parts.path.rstrip("/"))) and host == "github.com":
        url, ref, folder = f"https://github.com{page[1]}", ref or page[2], folder or (page[3] or "")
    return Address("host", url.rstrip("/"), checked_ref(ref), checked_folder(folder))
