"""Files that a shell command reaches without naming them plainly: below a directory, or as any operand.

What a deny rule hides must stay hidden from `grep -r` and from programs that nobody knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roocode.security.permissions.paths import Grounds, place
from roocode.security.permissions.places import Place
from roocode.security.permissions.subjects import Program

if TYPE_CHECKING:
    from roocode.security.permissions.parts import Part

MOST = 20_000

_RECURSIVE_WITH = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), frozenset("rR")),
    **dict.fromkeys(("cp", "gcp"), frozenset("rRa")),
    **dict.fromkeys(("diff", "scp"), frozenset("r")),
}
_LONG = ("--recursive", "--dereference-recursive", "--archive")
_ALWAYS_RECURSIVE = frozenset(["rgrep", "tar", "gtar", "zip", "7z", "rsync", "find", "gfind"])
_PASS_OVER_HIDDEN = frozenset(["rg", "ag", "ack", "ugrep"])
_NOT_HIDDEN = ("-u", "-uu", "-uuu", "-.", "--hidden", "--unrestricted", "--no-ignore")
_REMOVING = frozenset(["rm", "rmdir", "mv", "shred", "srm", "trash"])
_LOOKING_FIND = frozenset(["-exec", "-execdir", "-ok", "-okdir"])


class TooMany(Exception):
    """A directory holds more files than are looked at one by one."""


def files_below(program: Program, ground: Grounds, *, written: bool) -> Iterator[Place]:
    """The files below each directory that a command reads, or with `written` removes or moves, as a whole.

    Raises TooMany where they are more than MOST.
    """
    part = program.part
    whole = _name(part) in _REMOVING if written else _reads_whole(part)
    if not whole:
        return
    passes_over = _name(part) in _PASS_OVER_HIDDEN and not set(_NOT_HIDDEN) & set(part.words)
    places = [spot.place for spot in (program.writes if written else program.reads)]
    if not places and not written:
        places = [place(".", None, ground)]
    for where in places:
        if where.kind == "directory":
            yield from _walk(where.real, ground, without_hidden=passes_over)


def operands(program: Program, cwds: tuple[str | None, ...], ground: Grounds) -> Iterator[Place]:
    """Existing files that the words of a command name which is not known only to read."""
    if program.part.read_only:
        return
    for word in program.part.words[1:]:
        for text in {word, word.rpartition("=")[2], word.rpartition("@")[2]} - {""}:
            for cwd in cwds:
                where = place(text, cwd, ground)
                if where.kind == "file":
                    yield where


def _walk(directory: str, ground: Grounds, *, without_hidden: bool) -> Iterator[Place]:
    seen = 0
    for path, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name != ".git" and not (without_hidden and name[0] == ".")]
        for name in names:
            seen += 1
            if seen > MOST:
                raise TooMany
            if not (without_hidden and name[0] == "."):
                yield place(os.path.join(path, name), None, ground)


def _reads_whole(part: Part) -> bool:
    name, options = _name(part), [word for word in part.words[1:] if word.startswith("-")]
    if name in ("find", "gfind"):
        return not _LOOKING_FIND.isdisjoint(options)
    if name in _ALWAYS_RECURSIVE or name in _PASS_OVER_HIDDEN:
        return True
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    is_long = any(long.startswith(word) for word in options if len(word) > 4 for long in _LONG)
    return name in _RECURSIVE_WITH and (is_long or not letters.isdisjoint(_RECURSIVE_WITH[name]))


def _name(part: Part) -> str:
    return part.words[0].rpartition("/")[2] if part.words else ""
