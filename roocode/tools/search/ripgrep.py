"""ripgrep's command line for our searches, and what it prints. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

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
            arguments += ["--json", f"--before-context={query.before}", f"--after-context={query.after}"]
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
        records = out.split(b"\n")[:-1]
        lines = (line for record in records if (line := _line(json.loads(record))))
        return Found(lines=tuple(lines), cut=cut)
    if query.mode == "files_with_matches":
        whole = out[: out.rfind(b"\0") + 1]
        return Found(counts=dict.fromkeys(paths(whole), 1), cut=cut)
    counted = (record.rpartition(b"\0") for record in out.split(b"\n")[:-1])
    return Found(counts={_path(path): int(count) for path, _, count in counted}, cut=cut)


def _line(record: Mapping[str, Any]) -> Line | None:
    if record["type"] not in ("match", "context"):
        return None
    data = record["data"]
    path = _path(_bytes(data["path"]))
    text = _bytes(data["lines"]).decode(errors="replace").removesuffix("\n").removesuffix("\r")
    return Line(path, data["line_number"], text, matches=record["type"] == "match")


def _bytes(value: Mapping[str, str]) -> bytes:
    return base64.b64decode(value["bytes"]) if "bytes" in value else value["text"].encode()


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").removeprefix("./")
