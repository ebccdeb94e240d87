"""The team store on local files: one directory a team, laid out as TEAM.md's "On disk" says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, Unpack

from roocode.engine.team.codec import Malformed, decode, encode
from roocode.engine.team.dependencies import Tasks
from roocode.engine.team.mailbox import Mailbox
from roocode.engine.team.store.event_log import EventLog, Record
from roocode.engine.team.store.interface import MemberChanges
from roocode.engine.team.store.life_lock import LifeLock
from roocode.engine.team.store.shared_file import SharedFile
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.team import LEAD, Budget, Member, MemberReport, Task, Team, valid_name
from roocode.security.isolation.masking import Mask, masked, unmasked

A = TypeVar("A")


class FileTeamStore:
    """A TeamStore under `root`, which is `.roocode/teams/<team>` of the main worktree.

    What it writes is masked by `mask`; mail is when it is sent, before it is signed.
    """

    def __init__(self, root: Path, mask: Mask = unmasked) -> None:
        self.root = root
        self.mask = mask
        self._team = SharedFile(root / "team.json", _parse_team, self._hiding(_dump_team))
        self._tasks = SharedFile[Tasks](
            root / "tasks.json", _parse_tasks, self._hiding(_dump_tasks), empty=()
        )
        self._budget = SharedFile(root / "budget.json", _parse_budget, encode, empty=Budget())
        self._events = EventLog(root / "events.jsonl", root.name)

    def create(self, team: Team) -> None:
        """Writes the roster and the lead's inbox. Raises UserError where the name is taken."""
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            for part in ("", "members", "transcripts", "logs"):
                (self.root / part).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise HostError(f"cannot create {self.root}: {error.strerror}") from error
        if not self._team.create(team):
            raise UserError(
                f"there is a team {team.name} already",
                f"Choose another --name, or `roocode team cleanup {team.name}`.",
            )
        self.inbox(LEAD).create()
        for member in team.members:
            self.inbox(member.name).create()

    def exists(self) -> bool:
        """Whether there is a roster."""
        return self._team.path.exists()

    def team(self) -> Team:
        """The roster."""
        return self._team.read()

    def add_member(self, member: Member) -> None:
        """Opens the member's inbox, then adds its line: whoever is on the roster can be written to.

        Raises UserError where the name is taken or bad.
        """
        if not valid_name(member.name) or member.name == LEAD:
            raise UserError(
                f"{member.name!r} cannot name a member", "Use a-z, 0-9 and -, at most 32 of them."
            )

        def add(team: Team) -> tuple[Team, None]:
            if team.member(member.name):
                raise UserError(
                    f"team {team.name} has a member {member.name} already", "Choose another name."
                )
            return replace(team, members=(*team.members, member)), None

        self.inbox(member.name).create()
        self._team.change(add)

    def update_member(self, name: str, **changes: Unpack[MemberChanges]) -> Member:
        """Changes a line of the roster and returns it. Raises UserError for an unknown member."""

        def change(team: Team) -> tuple[Team, Member]:
            changed = replace(_known(team, name), **changes)
            members = tuple(changed if m.name == changed.name else m for m in team.members)
            return replace(team, members=members), changed

        return self._team.change(change)

    def remove_member(self, name: str) -> None:
        """Takes a member off the roster; its mail stays. Raises UserError for an unknown one."""

        def drop(team: Team) -> tuple[Team, None]:
            gone = _known(team, name)
            return replace(team, members=tuple(m for m in team.members if m is not gone)), None

        self._team.change(drop)

    def remove(self) -> None:
        """Deletes the directory. Raises HostError while a member lives."""
        living = [m.name for m in self.team().members if self.member_lock(m.name).is_held()]
        if living:
            raise HostError(f"members still run: {', '.join(living)}", "Stop them: `roocode team stop`.")
        try:
            shutil.rmtree(self.root)
        except OSError as error:
            raise HostError(f"cannot remove {error.filename or self.root}: {error.strerror}") from error

    def tasks(self) -> Tasks:
        """The task list."""
        return self._tasks.read()

    def change_tasks(self, change: Callable[[Tasks], tuple[Tasks, A]]) -> A:
        """Replaces the list by what the pure `change` makes of it, under the lock; gives its answer."""
        return self._tasks.change(change)

    def inbox(self, name: str) -> Mailbox:
        """The mailbox of a member or the lead; what it quarantines is recorded as `message_refused`."""

        def refused(file: str, reason: str) -> None:
            self.record("message_refused", name, {"file": file, "reason": reason})

        return Mailbox(self.root / "inboxes" / name, refused)

    def report(self, name: str) -> MemberReport | None:
        """What a member's process last said of itself, None before it said anything."""
        file = self._report(name)
        return file.read() if file.path.exists() else None

    def write_report(self, report: MemberReport) -> None:
        """Replaces what a member's process says of itself."""
        self._report(report.name).write(report)

    def budget(self) -> Budget:
        """What the whole team may use; no limit before there was one."""
        return self._budget.read()

    def write_budget(self, budget: Budget) -> None:
        """Replaces what the whole team may use."""
        self._budget.write(budget)

    def record(self, kind: str, member: str, detail: Mapping[str, Any]) -> Record:
        """Adds a line to events.jsonl."""
        return self._events.append(kind, member, masked(detail, self.mask))

    def record_if(
        self,
        condition: Callable[[tuple[Record, ...]], None],
        kind: str,
        member: str,
        detail: Mapping[str, Any],
    ) -> Record:
        """Adds a line to events.jsonl unless `condition` raises for the lines before it."""
        return self._events.append_if(condition, kind, member, masked(detail, self.mask))

    def events(self, after: int = 0) -> tuple[Record, ...]:
        """The lines of events.jsonl with a number above `after`."""
        return self._events.read(after)

    def member_lock(self, name: str) -> LifeLock:
        """The lock that a member holds while it lives."""
        return LifeLock(self.root / "members" / f"{name}.lock")

    def lead_lock(self) -> LifeLock:
        """The lock that the lead holds while it lives."""
        return LifeLock(self.root / "lead.lock")

    def _report(self, name: str) -> SharedFile[MemberReport]:
        return SharedFile(self.root / "members" / f"{name}.json", _parse_report, self._hiding(encode))

    def _hiding(self, dump: Callable[[A], Mapping[str, Any]]) -> Callable[[A], Mapping[str, Any]]:
        return lambda value: masked(dump(value), self.mask)


def _known(team: Team, name: str) -> Member:
    member = team.member(name)
    if member is None:
        names = ", ".join(m.name for m in team.members) or "nobody yet"
        raise UserError(f"team {team.name} has no member {name}", f"Its members: {names}.")
    return member


def _parse_team(data: Mapping[str, Any]) -> Team:
    members = tuple(decode(Member, item) for item in _list(data, "members"))
    return replace(decode(Team, {**data, "members": ()}), members=members)


def _dump_team(team: Team) -> Mapping[str, Any]:
    return {**encode(team), "members": [_dump_member(member) for member in team.members]}


def _dump_member(member: Member) -> Mapping[str, Any]:
    line = encode(member)
    if member.is_active is None:
        del line["isActive"]
    return line


def _parse_tasks(data: Mapping[str, Any]) -> Tasks:
    return tuple(decode(Task, item) for item in _list(data, "tasks"))


def _dump_tasks(tasks: Tasks) -> Mapping[str, Any]:
    return {"tasks": [encode(task) for task in tasks]}


def _parse_report(data: Mapping[str, Any]) -> MemberReport:
    return decode(MemberReport, data)


def _parse_budget(data: Mapping[str, Any]) -> Budget:
    return decode(Budget, data)


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    items = data.get(key, [])
    if not isinstance(items, list):
        raise Malformed(f"{key}: expected a list")
    return items
