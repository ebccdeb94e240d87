"""ripgrep's command line for our searches, and what it prints. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roocode.tools.search.query import Found, Line, Query
from roocode.tools.search.walk import SKIPPED

_ALIKE = (
    "--no-config", "--hidden", "--no-ignore-global", "--no-ignore-exclude",
    "--no-ignore-dot", "--no-messages", "--null",
)  # fmt: skip
"""Looks where the walk without ripgrep looks: only `.gitignore` files count."""


def listing_arguments(*, in_repository: bool) -> list[str]:
    """The arguments that list all files below the current directory."""
    return ["--files", *_alike(in_repository), *_skipping(), "./"]


def search_arguments(query: Query, *, in_repository: bool) -> list[str]:
    """The arguments for a search below the current directory, or in the one file of it."""
    arguments = _alike(in_repository)
    match query.mode:
        case "content":
            arguments += ["--no-heading", "--with-filename", "--line-number", "--no-context-separator"]
            arguments += [f"--before-context={query.before}", f"--after-context={query.after}"]
        case "files_with_matches":
            arguments.append("--files-with-matches")
        case "count":
            arguments += ["--count", "--with-filename"]
    arguments += ["--ignore-case"] if query.ignore_case else []
    arguments += ["--multiline", "--multiline-dotall"] if query.multiline else []
    arguments += [f"--type-add=roocode:{name}" for name in query.names]
    arguments += ["--type=roocode"] if query.names else []
    arguments += [f"--glob={query.glob}"] if query.glob else []
    return [*arguments, *_skipping(), "--regexp", query.pattern, "--", f"./{query.only}"]


def _alike(in_repository: bool) -> list[str]:
    return [*_ALIKE] if in_repository else [*_ALIKE, "--no-require-git"]


def _skipping() -> list[str]:
    return [f"--glob=!**/{name}" for name in SKIPPED]


def paths(out: bytes) -> list[str]:
    """The paths of a listing, without the leading `./`."""
    return [_path(part) for part in out.split(b"\0") if part]


def found(query: Query, out: bytes, *, cut: bool) -> Found:
    """What a search printed. Where it was `cut`, a torn last record is left out."""
    if query.mode == "content":
        return Found(lines=tuple(_lines(out)), cut=cut)
    if query.mode == "files_with_matches":
        whole = out[: out.rfind(b"\0") + 1]
        return Found(counts=dict.fromkeys(paths(whole), 1), cut=cut)
    return Found(counts={_path(path): int(count) for path, count in _records(out)}, cut=cut)


def _lines(out: bytes) -> Iterator[Line]:
    """The lines of `path NUL number : text` records; `-` instead of `:` marks context."""
    for path, rest in _records(out):
        if told := re.match(rb"(\d+)([:-])", rest):
            text = rest[told.end() :].decode(errors="replace").removesuffix("\r")
            yield Line(_path(path), int(told[1]), text, matches=told[2] == b":")


def _records(out: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Splits `path NUL rest` records, which end with a newline; a path may hold newlines too."""
    start = 0
    while (nul := out.find(b"\0", start)) >= 0 and (end := out.find(b"\n", nul)) >= 0:
        yield out[start:nul], out[nul + 1 : end]
        start = end + 1


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").removeprefix("./")
