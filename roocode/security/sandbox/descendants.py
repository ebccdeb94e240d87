"""Finds and reaps what a command left behind, by Linux's /proc; elsewhere it finds nothing."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PR_SET_CHILD_SUBREAPER = 36

started: set[int] = set()
"""The processes that were started here and that asyncio has not waited for yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the process table; `zombie`: dead, but not yet waited for."""

    pid: int
    parent: int
    group: int
    session: int
    zombie: bool


@functools.cache
def adopt_orphans() -> None:
    """Makes this process the parent of its descendants' orphans, so that none escapes it.

    See prctl(2), PR_SET_CHILD_SUBREAPER. Nothing happens where the system has no such thing.
    """
    import ctypes

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def process_table() -> list[Entry]:
    """All processes that can be seen."""
    pids = (int(name) for name in os.listdir(_PROC) if name.isdecimal()) if _PROC.is_dir() else ()
    return [entry for pid in pids if (entry := look_up(pid))]


def look_up(pid: int) -> Entry | None:
    """One process, or None when it is gone. See proc(5) on the fields of `stat`."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    state, parent, group, session = stat[stat.rindex(b")") + 2 :].split(maxsplit=4)[:4]
    return Entry(pid, int(parent), int(group), int(session), state in (b"Z", b"X"))


def command_line(pid: int) -> str:
    """The words of a process, joined by blanks; empty when it is gone."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ""
    return words.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")


def belonging(mark: str, group: int) -> set[int]:
    """The living processes of a group or session, those with `mark` in their environment, and all below."""
    table = process_table()
    found = {
        entry.pid
        for entry in table
        if group in (entry.group, entry.session) or _carries(entry.pid, mark.encode())
    }
    family = _with_children(found, table)
    return {entry.pid for entry in table if entry.pid in family and not entry.zombie}


def adopted(pids: Iterable[int]) -> set[int]:
    """Those of our living children that are orphans for certain.

    What is started here is in our session or leads one of its own. An orphan hides only by leading a
    session too, with a cleared environment.
    """
    ours = os.getsid(0)
    entries = [entry for pid in pids if (entry := look_up(pid))]
    return {entry.pid for entry in entries if not entry.zombie and entry.session not in (ours, entry.pid)}


def _carries(pid: int, mark: bytes) -> bool:
    try:
        return mark in (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False


def _with_children(found: set[int], table: Iterable[Entry]) -> set[int]:
    grown = set(found)
    while more := {entry.pid for entry in table if entry.parent in grown} - grown:
        grown |= more
    return grown


def children() -> set[int]:
    """The children of this process, adopted ones and zombies included."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(_PROC / "self" / "task"):
            with contextlib.suppress(OSError):
                found.update(map(int, Path(f"/proc/self/task/{thread}/children").read_bytes().split()))
    return found


def alive(pid: int) -> bool:
    """Whether this process runs and is no zombie."""
    entry = look_up(pid)
    return entry is not None and not entry.zombie


def reap_orphans() -> None:
    """Takes the exit status of adopted zombies, so that they leave the process table.

    Children that were started here are left to those who wait for them: they are in our session, or known
    to be `started`.
    """
    ours = os.getsid(0)
    for pid in children() - started:
        entry = look_up(pid)
        if entry and entry.zombie and entry.session != ours:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def group_alive(group: int) -> bool:
    """Whether a process group has a member that is not an adopted zombie."""
    reap_orphans()
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
