"""Where a path leads: resolved as the kernel would, but for files that do not exist yet too."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen
from roocode.security.permissions.protected import is_ignorable

Kind: TypeAlias = Literal["missing", "file", "directory", "special"]

_MOST_LINKS = 40

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


@frozen
class Place:
    """A path as spelled and as resolved, both absolute.

    `spelled` has its dots folded but keeps links, `real` has none left, and `links` are the links that were
    followed, in order. `refused` says why the path names nothing that may be touched; `real` is then empty.
    """

    spelled: str
    real: str
    kind: Kind
    links: tuple[str, ...] = ()
    refused: str = ""
    names_directory: bool = False


def locate(path: str, cwd: str, home: str) -> Place:
    """Resolves a path that a tool was given; never raises.

    A leading `~/` is the home directory; variables, percent escapes and backslashes are plain characters.
    Refused are what programs disagree on (NUL, control characters, a blank at either end, `~name`, a URL),
    what a person cannot see (characters that show nothing, or reorder the rest), anything below /proc (links
    there change per process), loops, and names that the file system refuses.
    """
    complaint = _spelling(path)
    if complaint:
        return Place(path, "", "missing", refused=complaint)
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    absolute = path if path.startswith("/") else f"{cwd}/{path}"
    return _follow(absolute, os.path.normpath("/" + absolute.lstrip("/")))


def within(path: str, directory: str) -> bool:
    """Whether a real path is the directory or lies below it."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _spelling(path: str) -> str:
    if not path:
        return "the path is empty"
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in path):
        return "the path holds a control character"
    if _hides(path):
        return "the path holds a character that is not shown"
    if path != path.strip():
        return "the path begins or ends with a blank"
    if path.startswith("~") and path.partition("/")[0] != "~":
        return "the home directory of a named user is not looked up"
    return "a URL is not a path" if _SCHEME.match(path) else ""


def _hides(path: str) -> bool:
    """Whether a character shows nothing; a joiner beside others outside ASCII is spelling (UAX 31)."""
    if path.isascii():
        return False
    around = zip(f" {path}", path, f"{path[1:]} ", strict=False)
    return any(
        is_ignorable(character) and not (character in _JOINERS and not f"{before}{after}".isascii())
        for before, character, after in around
    )


def _follow(path: str, spelled: str) -> Place:
    pending = path.split("/")[::-1]
    done: list[str] = []
    links: list[str] = []
    kind: Kind = "directory"
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            del done[-1:]
            kind = _kind_at("/" + "/".join(done))
            continue
        here = "/".join(["", *done, name])
        if here == "/proc":
            return Place(spelled, "", "special", refused="paths in /proc differ from process to process")
        try:
            status = os.lstat(here)
            target = os.readlink(here) if stat.S_ISLNK(status.st_mode) else ""
        except (FileNotFoundError, NotADirectoryError):
            done.append(name)
            kind = "missing"
            continue
        except (OSError, ValueError) as error:
            return Place(spelled, "", "missing", refused=f"the path cannot be looked at: {_cause(error)}")
        if not target:
            done.append(name)
            kind = _kind(status.st_mode)
            continue
        links.append(here)
        if len(links) > _MOST_LINKS:
            return Place(spelled, "", "missing", refused="too many links: they lead in a circle")
        if target.startswith("/"):
            done.clear()
        pending.extend(target.split("/")[::-1])
    names_directory = path.endswith(("/", "/.", "/.."))
    return Place(spelled, "/" + "/".join(done), kind, tuple(links), names_directory=names_directory)


def _kind_at(path: str) -> Kind:
    """What `..` led back to: behind a file or a missing name it is no directory."""
    try:
        return _kind(os.lstat(path).st_mode)
    except OSError:
        return "missing"


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "special"


def _cause(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
