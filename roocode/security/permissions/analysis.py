"""Placeholder so that others can run: helper C replaces this file."""

from __future__ import annotations

from dataclasses import dataclass

from roocode.protocol.decisions import Level


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    words: tuple[str, ...]
    inside: tuple[str, ...] = ()
    opaque: str = ""
    read_only: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    paths_unknown: bool = False
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    level: Level
    reason: str
    parts: tuple[Part, ...]
    parsed: bool = True
    opaque: str = ""
    final_cwd: str | None = None


def analyse(command: str, *, cwd: str, home: str, protected_branches: tuple[str, ...] = ("main", "master"), roots: tuple[str, ...] = ()) -> Analysis:
    words = tuple(command.split())
    return Analysis("modify", "placeholder", (Part(" ".join(words), words),), True, "", cwd)
