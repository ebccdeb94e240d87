"""Finds and reaps what a command left behind, by Linux's /proc; elsewhere it finds nothing."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roocode.protocol.frozen import frozen

if TYPE_CHECKING:
    import asyncio

_PROC = Path("/proc")
_PR_SET_CHILD_SUBREAPER = 36
MOST_SESSIONS = 32


class Started:
    """The children that were started here: whoever started one waits for it.

    `pids` are known and not waited for yet, `sessions` are those that they led, past ones too where something
    may still be in them; `pending` counts the children whose pid is not known yet.
    """

    def __init__(self) -> None:
        self.pids: set[int] = set()
        self.sessions: set[int] = set()
        self.pending = 0

    def starting(self, start: asyncio.Future[Any]) -> None:
        """A child is pending until `start` is done, whoever still waits for that."""
        self.pending += 1
        start.add_done_callback(self._known)

    def add(self, pid: int) -> None:
        """A child that leads a session of its own.

        Numbers are used again: of many sessions those are forgotten in which nothing is any more, before an
        orphan of somebody else could have the number of one.
        """
        if len(self.sessions) >= MOST_SESSIONS:
            self.sessions &= {entry.session for entry in process_table()}
        self.pids.add(pid)
        self.sessions.add(pid)

    def _known(self, _: object) -> None:
        self.pending -= 1


started = Started()


@frozen
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


def adopted(pids: Iterable[int], marking: str) -> set[int]:
    """Those of our living children that are orphans for certain, and of no command that is known.

    What is started here is in our session or leads one of its own; what a command started is in the
    command's session or carries a mark, `marking` and more. So an orphan hides only by leading a session
    with a cleared environment.
    """
    known = {os.getsid(0), *started.sessions}
    entries = [entry for pid in pids if (entry := look_up(pid))]
    return {
        entry.pid
        for entry in entries
        if not entry.zombie
        and entry.session not in known | {entry.pid}
        and not _carries(entry.pid, marking.encode())
    }


def stray(pids: Iterable[int], marking: str) -> set[int]:
    """Those of a sandbox's orphans that are of no command that is known; see `adopted` on `marking`.

    Its process 1 gets no other children than orphans: one that leads a session with a cleared environment
    does not hide here.
    """
    entries = [entry for pid in pids if (entry := look_up(pid))]
    return {
        entry.pid
        for entry in entries
        if not entry.zombie
        and entry.session not in started.sessions
        and not _carries(entry.pid, marking.encode())
    }


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
    return children_of(os.getpid())


def children_of(pid: int) -> set[int]:
    """The children of a process, adopted ones and zombies included; none where it is gone."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(_PROC / str(pid) / "task"):
            with contextlib.suppress(OSError):
                found.update(map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split()))
    return found


def inner_pid(pid: int, depth: int) -> int:
    """The number that a process has `depth` namespaces below ours; its own where it has none there.

    See proc(5) on NSpid in `status`.
    """
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return pid
    numbers = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
    return int(numbers[depth]) if len(numbers) > depth else pid


def alive(pid: int) -> bool:
    """Whether this process runs and is no zombie."""
    entry = look_up(pid)
    return entry is not None and not entry.zombie


def reap_orphans(newcomers: Collection[int] = ()) -> None:
    """Takes the exit status of adopted zombies, so that they leave the process table.

    What was started here is left to those who wait for it. A zombie that led a session may be the child of a
    library, and is taken only if it is among the `newcomers`: children that came while a command ran.
    """
    if started.pending:
        return
    ours = os.getsid(0)
    for pid in children() - started.pids:
        entry = look_up(pid)
        if entry and entry.zombie and entry.session != ours and (entry.session != pid or pid in newcomers):
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
