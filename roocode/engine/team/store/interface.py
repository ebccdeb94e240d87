"""What a team needs of its shared memory; another store can serve several machines one day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.store.event_log import Record
from roocode.engine.team.store.life_lock import LifeLock
from roocode.protocol.team import BackendName, Budget, Member, MemberReport, Team
from roocode.security.isolation.masking import Mask

A = TypeVar("A")


class MemberChanges(TypedDict, total=False):
    """The fields of a roster line that change during a run."""

    model: str
    color: str
    worktree_path: str
    branch: str
    backend_type: BackendName
    pane_id: str | None
    session_id: str | None
    is_active: bool | None
    plan_mode_required: bool
    spawned_at: str


class TeamStore(Protocol):
    """Roster, tasks, mail, reports, locks and record of one team. Calls block: run them in a thread.

    All raise HostError where the storage fails, is missing, broken or of a newer schema.
    """

    @property
    def mask(self) -> Mask:
        """Hides secrets in what is written."""
        ...

    def create(self, team: Team) -> None:
        """Writes the roster. Raises UserError where the name is taken."""
        ...

    def exists(self) -> bool:
        """Whether there is a roster."""
        ...

    def team(self) -> Team:
        """The roster."""
        ...

    def add_member(self, member: Member) -> None:
        """Adds a line and opens the member's inbox. Raises UserError where the name is taken."""
        ...

    def update_member(self, name: str, **changes: Unpack[MemberChanges]) -> Member:
        """Changes a line of the roster and returns it."""
        ...

    def remove_member(self, name: str) -> None:
        """Takes a member off the roster; its mail and transcript stay."""
        ...

    def remove(self) -> None:
        """Deletes all of the team. Raises HostError while a member lives."""
        ...

    def tasks(self) -> Tasks:
        """The task list."""
        ...

    def change_tasks(self, change: Callable[[Tasks], tuple[Tasks, A]]) -> A:
        """Replaces the list by what the pure `change` makes of it, atomically; gives its answer."""
        ...

    def inbox(self, name: str) -> Mailbox:
        """The mailbox of a member or the lead."""
        ...

    def report(self, name: str) -> MemberReport | None:
        """What a member's process last said of itself."""
        ...

    def write_report(self, report: MemberReport) -> None:
        """Replaces what a member's process says of itself."""
        ...

    def budget(self) -> Budget:
        """What the whole team may use."""
        ...

    def write_budget(self, budget: Budget) -> None:
        """Replaces what the whole team may use."""
        ...

    def record(self, kind: str, member: str, detail: Mapping[str, Any]) -> Record:
        """Adds to the record of what the team did."""
        ...

    def record_if(
        self,
        condition: Callable[[tuple[Record, ...]], None],
        kind: str,
        member: str,
        detail: Mapping[str, Any],
    ) -> Record:
        """Adds to the record once `condition` has seen all of it, with nobody else adding meanwhile.

        What it raises passes through, and nothing is added.
        """
        ...

    def events(self, after: int = 0) -> tuple[Record, ...]:
        """The record, from the number after `after`."""
        ...

    def member_lock(self, name: str) -> LifeLock:
        """The lock that a member holds while it lives."""
        ...

    def lead_lock(self) -> LifeLock:
        """The lock that the lead holds while it lives."""
        ...
