"""Searches without ripgrep and prints what ripgrep would, in a process of its own, which can be ended.

Python's expressions can take for ever, and would hold up everything else in the agent's process meanwhile.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from roocode.tools.search.query import Query
from roocode.tools.search.walk import walk
from roocode.tools.search.wildcards import alternatives, matches, part_expression
from roocode.tools.text import decode

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "xdigit": "0-9a-fA-F", "word": r"\w", "punct": r"!-/:-@\[-`{-~", "blank": r" \t",
}  # fmt: skip
_LARGEST = 256 * 1024 * 1024


def main() -> None:
    """Searches the current directory for the query, JSON on standard input; exits as ripgrep does."""
    asked: dict[str, Any] = json.load(sys.stdin)
    query = Query(**{**asked, "names": tuple(asked["names"])})
    try:
        expression = compiled(query)
    except re.error as error:
        print(f"regex parse error: {error}", file=sys.stderr)
        sys.exit(2)
    found = [_search(query, expression, path) for path in _files(query)]
    sys.exit(0 if any(found) else 1)


def _search(query: Query, expression: re.Pattern[str], path: str) -> bool:
    text = _text(Path(path))
    hits = [] if text is None else list(_hits(expression, text, multiline=query.multiline))
    if text is not None and hits:
        _print(query, path, text, hits)
    return bool(hits)


def compiled(query: Query) -> re.Pattern[str]:
    """The query's expression for Python. Raises re.error."""
    flags = re.IGNORECASE if query.ignore_case else 0
    flags |= re.DOTALL | re.MULTILINE if query.multiline else 0
    pattern = re.sub(r"\[:(\w+):\]", lambda name: _CLASSES.get(name[1], name[0]), query.pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern.replace(r"\z", r"\Z"), flags)


def _files(query: Query) -> Iterator[str]:
    if query.only:
        return iter([query.only])
    wanted = _chooser(query.glob)
    named = [part_expression(name) for pattern in query.names for name in alternatives(pattern)]
    listed = walk(Path(), wanted if query.glob and not query.glob.startswith("!") else None)
    return (
        path
        for path in listed
        if wanted(path) and (not named or any(name.match(path.rpartition("/")[2]) for name in named))
    )


def _chooser(glob: str) -> Callable[[str], bool]:
    """Whether a path fits a gitignore-style glob, as `rg --glob` takes it."""
    if not glob:
        return lambda path: True
    if glob.startswith("!"):
        unwanted = _chooser(glob[1:])
        return lambda path: not any(unwanted(part) for part in _and_above(path))
    pattern = glob.strip("/") if "/" in glob.rstrip("/") else f"**/{glob.rstrip('/')}"
    return lambda path: matches(pattern, path)


def _and_above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


def _text(path: Path) -> str | None:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return None
            data = stream.read()
    except OSError:
        return None
    decoded = decode(data)
    return decoded.text if decoded else None


def _hits(expression: re.Pattern[str], text: str, *, multiline: bool) -> Iterator[tuple[int, int]]:
    """The first and last line of each match, counted from 0; neighbours on one line are one."""
    if not multiline:
        for number, line in enumerate(_lines(text)):
            if expression.search(line.removesuffix("\r")):
                yield number, number
        return
    previous = (-1, -1)
    for match in expression.finditer(text):
        first = text.count("\n", 0, match.start())
        last = first + text.count("\n", match.start(), max(match.start(), match.end() - 1))
        if first > previous[1]:
            if previous[1] >= 0:
                yield previous
            previous = (first, last)
        else:
            previous = (previous[0], max(previous[1], last))
    if previous[1] >= 0:
        yield previous


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if text.endswith("\n") or not text else lines


def _print(query: Query, path: str, text: str, hits: list[tuple[int, int]]) -> None:
    name = f"./{path}"
    match query.mode:
        case "files_with_matches":
            _emit(f"{name}\0")
        case "count":
            count = sum(last - first + 1 for first, last in hits)
            _emit(f"{name}\0{count}\n")
        case "content":
            _print_lines(query, name, _lines(text), hits)


def _print_lines(query: Query, name: str, lines: list[str], hits: list[tuple[int, int]]) -> None:
    matching = {n for first, last in hits for n in range(first, last + 1)}
    around = {n for first, last in hits for n in range(first - query.before, last + query.after + 1)}
    for number in sorted(around.intersection(range(len(lines)))):
        mark = ":" if number in matching else "-"
        _emit(f"{name}\0{number + 1}{mark}{lines[number]}\n")


def _emit(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
