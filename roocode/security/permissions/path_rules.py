"""Whether the pattern of a rule such as `EditFile(src/**)` covers a path: gitignore's syntax, with anchors.

`//x` is absolute, `~/x` in the home directory, `/x` below the directory of the rule's file, `./x` below the
workspace's root; a name without a slash matches at any depth. `src/**` allows below the root only, and denies
at any depth. A deny also covers what lies below a directory that it names, and does not mind case.
"""

from __future__ import annotations

import re
from functools import lru_cache

from roocode.security.permissions.paths import Grounds
from roocode.security.permissions.places import Place, within

_SPECIAL = frozenset("*?[")


def allows(pattern: str, base: str, where: Place, ground: Grounds) -> bool:
    """Whether an allow rule covers a place: both its spelling and what it leads to must match."""
    return all(
        _matches(pattern, base, path, ground, loose=False) for path in (_plain(where, ground), where.real)
    )


def restricts(pattern: str, base: str, where: Place, ground: Grounds) -> bool:
    """Whether a deny or ask rule covers a place: its spelling, a link on the way, or what it leads to."""
    return any(
        _matches(pattern, base, path, ground, loose=True)
        for path in {where.spelled, *where.links, where.real}
        if path
    )


def complaint(pattern: str) -> str:
    """Why a pattern can match no path, or ""."""
    if pattern.startswith("!"):
        return "a pattern cannot be negated: write a rule of the other kind"
    if pattern.startswith("~") and pattern.partition("/")[0] != "~":
        return "the home directory of a named user is not looked up: write it from /, as //home/…"
    if ".." in pattern.split("/"):
        return "paths are compared without `..`: write the pattern from ~/ or //"
    if "\0" in pattern:
        return "no path holds a NUL"
    try:
        _expression(pattern.strip("/"), floating=False, loose=True)
    except re.error as error:
        return f"the pattern is malformed: {error}"
    return ""


def literal(path: str) -> str:
    """The pattern that matches exactly this path."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", path)


def _plain(where: Place, ground: Grounds) -> str:
    """The spelling, or the real path where the two differ only in how the root itself is reached."""
    return where.spelled if where.links and ground.around(where.spelled) else where.real


def _matches(pattern: str, base: str, path: str, ground: Grounds, *, loose: bool) -> bool:
    anchor, rest = _anchor(pattern, base, ground)
    if anchor is None:
        inside = ground.around(path)
        anchor = (inside or "/") if loose else ground.root
    if not within(path, anchor):
        return False
    relative = path[len(anchor) :].strip("/")
    floating = _floats(pattern, loose=loose)
    return _expression(rest, floating=floating, loose=loose).fullmatch(relative) is not None


def _anchor(pattern: str, base: str, ground: Grounds) -> tuple[str | None, str]:
    if pattern.startswith("//"):
        return "/", pattern[2:]
    if pattern.startswith("~/"):
        return ground.home, pattern[2:]
    if pattern.startswith("/"):
        return start_of(base, ground), pattern[1:]
    if pattern.startswith("./"):
        return ground.root, pattern[2:]
    return None, pattern


def start_of(base: str, ground: Grounds) -> str:
    """Where `/x` starts: a teammate's worktree stands for the project that it lies in."""
    is_in_worktree = within(ground.root, f"{base}/.roocode/worktrees")
    return ground.root if not base or is_in_worktree else base


def _floats(pattern: str, *, loose: bool) -> bool:
    if pattern.startswith(("/", "~/", "./")):
        return False
    return loose or "/" not in pattern.rstrip("/")


@lru_cache(maxsize=1024)
def _expression(pattern: str, *, floating: bool, loose: bool) -> re.Pattern[str]:
    """The pattern as a regular expression over a path relative to the anchor."""
    whole = pattern.rstrip("/")
    if whole in ("", "."):
        whole = "**"
    last = whole.rpartition("/")[2]
    covers_below = loose or not (_SPECIAL & set(last))
    body = "(?:.*/)?" if floating else ""
    index = 0
    while index < len(whole):
        if whole.startswith("**/", index) and (index == 0 or whole[index - 1] == "/"):
            body, index = body + "(?:.*/)?", index + 3
        elif whole[index:] == "**" and (index == 0 or whole[index - 1] == "/"):
            body, index = (
                (body.removesuffix("/") + "(?:/.*)?" if loose and index else body + ".*"),
                len(whole),
            )
        else:
            piece, index = _piece(whole, index)
            body += piece
    flags = re.DOTALL | (re.IGNORECASE if loose else 0)
    return re.compile(body + ("(?:/.*)?" if covers_below else ""), flags)


def _piece(pattern: str, index: int) -> tuple[str, int]:
    character = pattern[index]
    if character == "*":
        return "[^/]*", index + 1
    if character == "?":
        return "[^/]", index + 1
    if character == "[":
        end = pattern.find("]", index + 2)
        if end > 0:
            inside = pattern[index + 1 : end]
            negation = "^" if inside.startswith(("!", "^")) else ""
            members = "".join(
                member if member == "-" else re.escape(member) for member in inside[len(negation) :]
            )
            return f"(?!/)[{negation}{members}]", end + 1
    if character == "\\" and index + 1 < len(pattern):
        return re.escape(pattern[index + 1]), index + 2
    return re.escape(character), index + 1
