"""Reads the team's tasks.json, where conditions and templates look at it."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roocode.protocol.team import Task

_SKIPPED = frozenset({".git", ".venv", ".roocode", "node_modules", "__pycache__"})


class TaskFile:
    """Finds and reads tasks.json, again at each call, since other processes write it.

    `pattern` is a path or glob, relative to `root`. Without it, all of `.roocode/teams/*/tasks.json` at or
    below `root` are looked at. Of several files the one of the asking team counts, else the newest.
    """

    def __init__(self, root: Path | None = None, pattern: str = "") -> None:
        self._root = root
        self._pattern = pattern
        self._houses: tuple[str, ...] = ()
        self._read: tuple[tuple[str, int, int, int], tuple[Task, ...]] | None = None

    def read(self, team: str = "") -> tuple[Task, ...]:
        """The tasks as they stand now; none where there is no file, or none that can be read."""
        found = self._found(team)
        if not found and self._root is not None and not self._pattern:
            self._houses = tuple(_houses(str(self._root)))
            found = self._found(team)
        if not found:
            return ()
        path, stat = max(found, key=lambda item: item[1].st_mtime_ns)
        version = (path, stat.st_ino, stat.st_mtime_ns, stat.st_size)
        if self._read is None or self._read[0] != version:
            self._read = (version, _tasks(path))
        return self._read[1]

    def _found(self, team: str) -> list[tuple[str, os.stat_result]]:
        return [(path, stat) for path in self._candidates(team) if (stat := _stat(path)) is not None]

    def _candidates(self, team: str) -> Iterator[str]:
        if self._pattern:
            base = str(self._root) if self._root else os.curdir
            yield from glob.iglob(os.path.join(base, self._pattern), recursive=True, include_hidden=True)
        for house in self._houses:
            yield from glob.iglob(os.path.join(house, glob.escape(team) if team else "*", "tasks.json"))


def _houses(root: str) -> Iterator[str]:
    """The folders `.roocode/teams` at or below a folder."""
    for folder, names, _ in os.walk(root):
        if ".roocode" in names and os.path.isdir(house := os.path.join(folder, ".roocode", "teams")):
            yield house
        names[:] = [name for name in names if name not in _SKIPPED]


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _tasks(path: str) -> tuple[Task, ...]:
    try:
        lines = json.loads(Path(path).read_text(encoding="utf-8"))["tasks"]
        return tuple(_task(line) for line in lines)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _task(line: dict[str, Any]) -> Task:
    return Task(
        id=line["id"],
        subject=line["subject"],
        status=line["status"],
        owner=line.get("owner"),
        blocked_by=tuple(line.get("blockedBy", ())),
    )
