"""Worktrees as git lists them, and as they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from roocode.protocol.frozen import frozen
from roocode.security.sandbox.git_status import Status

NO_COMMIT = "0" * 40


@frozen
class Place:
    """Where an agent works: `path` is absolute, `label` is `<team>/<agent>` and names its rescue refs."""

    path: Path
    branch: str
    label: str


@frozen
class Entry:
    """A line of `git worktree list`. `locked` is the reason, "" without one, None when not locked."""

    path: Path
    head: str | None = None
    branch: str | None = None
    locked: str | None = None


@frozen
class WorktreeState:
    """How a worktree stands. `status` is None when its directory is gone.

    `ahead` counts the commits that the other side lacks.
    """

    status: Status | None
    operation: str | None
    ahead: int

    @property
    def kind(self) -> Literal["missing", "clean", "untracked", "dirty"]:
        """The worst that can be said of its files."""
        if self.status is None:
            return "missing"
        if self.status.tracked or self.operation:
            return "dirty"
        return "untracked" if self.status.untracked else "clean"

    @property
    def merged(self) -> bool:
        """Whether the other side has all its commits."""
        return self.ahead == 0


def parse_entries(text: str) -> tuple[Entry, ...]:
    """Reads `git worktree list --porcelain -z`; see git-worktree(1)."""
    return tuple(_entry(record.split("\0")) for record in text.split("\0\0") if record)


def _entry(lines: list[str]) -> Entry:
    values = {name: value for name, _, value in (line.partition(" ") for line in lines)}
    head = values.get("HEAD")
    branch = values.get("branch")
    return Entry(
        path=Path(values["worktree"]).resolve(),
        head=None if head == NO_COMMIT else head,
        branch=branch.removeprefix("refs/heads/") if branch else None,
        locked=values.get("locked"),
    )
