"""What `.gitignore` files leave out: see gitignore(5). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roocode.protocol.frozen import frozen
from roocode.tools.search.wildcards import matches, part_expression

_LITERAL = re.compile(r"[^*?\[\\]*")
_STARS = re.compile(r"\*{3,}")
"""Three stars and more are two, as git's wildmatch.c has it."""
_ANY_DEPTH = re.compile(r"\*\*(?:/|$)")


@frozen
class Rule:
    """A line of an ignore file. `pattern` has no slash at its ends; `floating` matches names at any depth."""

    pattern: str
    floating: bool
    folders_only: bool
    keeps: bool


@frozen
class IgnoreFile:
    """The rules of one file; `folder` is its directory, relative to where the search began (`""`: there).

    For a file above that place, `above` is the way down from its directory.
    """

    rules: tuple[Rule, ...]
    folder: str = ""
    above: str = ""


def parse(text: str, folder: str = "", above: str = "") -> IgnoreFile:
    """Reads an ignore file."""
    rules = (rule for line in text.splitlines() if (rule := _parse_line(line)))
    return IgnoreFile(tuple(rules), folder, above)


def _parse_line(line: str) -> Rule | None:
    pattern = _without_trailing_blanks(line)
    if not pattern or pattern.startswith("#"):
        return None
    keeps = pattern.startswith("!")
    pattern = pattern[keeps:]
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    floating = "/" not in pattern
    pattern = _STARS.sub("**", pattern.removeprefix("/"))
    return Rule(pattern, floating, folders_only, keeps) if pattern else None


def _without_trailing_blanks(line: str) -> str:
    """Trailing blanks do not count unless a backslash stands before them."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return line[: len(stripped) + 1] if backslashes % 2 and len(stripped) < len(line) else stripped


def ignored(path: str, *, folder: bool, files: Sequence[IgnoreFile]) -> bool:
    """Whether a path is left out by the last rule that fits it; `files` come from the outermost directory in.

    A path below an ignored directory must not be asked for: git never looks there.
    """
    for file in reversed(files):
        inside = _inside(path, file)
        if inside is None:
            continue
        for rule in reversed(file.rules):
            if (folder or not rule.folders_only) and _fits(rule, inside):
                return not rule.keeps
    return False


def _inside(path: str, file: IgnoreFile) -> str | None:
    """The path as seen from the ignore file's directory."""
    if file.above:
        return f"{file.above}/{path}"
    if not file.folder:
        return path
    return path.removeprefix(file.folder + "/") if path.startswith(file.folder + "/") else None


def _fits(rule: Rule, path: str) -> bool:
    if rule.floating:
        return part_expression(rule.pattern).match(path.rpartition("/")[2]) is not None
    prefix = _LITERAL.match(rule.pattern)[0]  # type: ignore[index]
    rest = rule.pattern[len(prefix) :]
    if prefix and not prefix.endswith("/") and _ANY_DEPTH.match(rest):
        # git takes the fixed beginning off first, so that stars behind it stand at the start (dir.c).
        return path.startswith(prefix) and matches(rest, path[len(prefix) :])
    if rule.pattern.endswith("/**"):
        return matches(rule.pattern + "/*", path)
    return matches(rule.pattern, path)
