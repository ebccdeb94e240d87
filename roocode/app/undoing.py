"""What a session keeps of the files before each turn, and how they are taken back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.turns import Turn, Turns, turn_record
from roocode.protocol.commands import RewindPart
from roocode.protocol.errors import HostError, RooCodeError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.sandbox.files import SafeFiles

if TYPE_CHECKING:
    from roocode.security.undo.restoring import Restored
    from roocode.security.undo.snapshots import Snapshots, Taken
    from roocode.security.undo.states import Change, FileState

LONGEST_S: Final = 30.0
"""Seconds that a snapshot may take before the turn goes on without one."""
NO_AFTER: Final = "RooCode ended within this turn, so nobody knows what of the change was the agent's"
CANCELLED: Final = "it was cancelled while its files were looked at"
UNSEEN: Final = "this directory is in no git repository: what commands changed is not taken back"


@frozen
class Rewound:
    """What a rewind did to the files, what it could not do, and the turn by which it is itself undone."""

    number: int
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Undo:
    """Implements the guard's FileKeeper for one session in `root`.

    `told` hears, once a turn, why it cannot be undone. `unfinished` is the number of a turn that goes on, or
    whose files are still being looked at, else 0.
    """

    def __init__(
        self,
        conversation: Conversation,
        root: Path,
        files: SafeFiles,
        environ: Mapping[str, str],
        told: Callable[[str], None],
        *,
        resumed: bool,
    ) -> None:
        from roocode.security.undo.preimages import Preimages

        self.turns = Turns.read(conversation.path) if resumed else Turns()
        self.unfinished = 0
        self._conversation = conversation
        self._root = root
        self._files = files
        self._environ = environ
        self._told = told
        self._folder = folder(conversation.path)
        self._preimages = Preimages(self._folder / "files")
        self._lock = asyncio.Lock()
        self._snapshots: Snapshots | None = None
        self._looked = False
        self._turn: _Turn | None = None

    @property
    def busy(self) -> bool:
        """Whether a turn goes on; the files of one that is over may still be looked at."""
        return self._turn is not None

    def begin(self, words: str, *, is_rewind: bool = False) -> int:
        """A turn begins: to be called before its prompt enters the conversation. Returns its number."""
        turn = Turn(self.turns.next, words, "rewind" if is_rewind else "prompt")
        self._note("turn", **turn_record(turn))
        self._turn, self.unfinished = _Turn(turn.number), turn.number
        return turn.number

    async def changing(self, files: tuple[str, ...]) -> None:
        """Keeps the files before the first change of a turn, and those that a tool is to write."""
        async with self._lock:
            turn = self._turn
            if turn is None:
                return
            if not turn.is_kept:
                await self._keep(turn)
            turn.is_unseen |= not files
            for path in files:
                if path not in turn.tools and path not in turn.unkept and not turn.fault:
                    self._keep_one(turn, path)

    async def end(self) -> None:
        """The turn is over: what the files are now is the agent's work. A cancel leaves it as it is."""
        turn, self._turn = self._turn, None
        try:
            async with self._lock:
                if turn is not None and turn.is_kept and not turn.fault:
                    self._snapshot(turn, "after", await self._after(turn))
        except asyncio.CancelledError:
            if turn is not None and not turn.fault:
                self._fail(turn, HostError(CANCELLED))
                self._snapshot(turn, "after", {"fault": turn.fault})
            raise
        finally:
            self.unfinished = 0

    def close(self) -> None:
        """Removes what only a running session needs."""
        with suppress(OSError):
            (self._folder / "index").unlink(missing_ok=True)
            self._folder.rmdir()

    async def rewind(self, number: int, part: RewindPart) -> Rewound:
        """Goes back to where a turn began; a turn of its own, by which it can be undone.

        Raises UserError where there is no such turn, HostError where the files cannot be kept first.
        """
        if number not in self.turns.all:
            raise UserError(f"there is no turn {number}", "/rewind shows them")
        past = [turn for _, turn in sorted(self.turns.all.items(), reverse=True) if turn.number >= number]
        mine = self.begin(f"/rewind {number} {part}", is_rewind=True)
        rewound = Rewound(mine)
        try:
            if part != "conversation":
                rewound = await self._rewind_code(mine, past)
            if part != "code":
                self._conversation.rewind(number)
                self.turns.take({"type": "rewind", "turn": number})
        finally:
            await self.end()
        return rewound

    async def _rewind_code(self, mine: int, past: Iterable[Turn]) -> Rewound:
        from roocode.security.undo.restoring import restore
        from roocode.security.undo.states import look, plan

        turns, tools, notes = await self._changes(past)
        await self.changing(tuple(tools))
        assert self._turn is not None
        if self._turn.fault:
            raise HostError(f"nothing was taken back: {self._turn.fault}")
        algorithm = self._snapshots.algorithm if self._snapshots else "sha1"

        def now(path: str) -> FileState | None:
            return look(path, "sha1" if path in tools else algorithm)

        steps = plan(turns, now)
        contents = await self._contents(step.target for step in steps.steps if step.target)
        done: Restored = restore(steps, lambda state: contents[state.blob], self._files, now)
        return Rewound(mine, done.restored, done.removed, done.kept, tuple(notes))

    async def _changes(self, past: Iterable[Turn]) -> tuple[list[list[Change]], set[str], list[str]]:
        """The changes of turns, the paths of which git does not know, and what cannot be taken back."""
        turns: list[list[Change]] = []
        tools: set[str] = set()
        notes: list[str] = []
        for turn in past:
            if turn.before is None:
                continue
            fault = turn.before.get("fault") or (turn.after or {"fault": NO_AFTER}).get("fault")
            if fault or turn.after is None:
                notes.append(f"turn {turn.number} is not taken back: {fault}")
                continue
            changes = _changes(turn.after.get("tools", ()))
            tools |= {change.path for change in changes}
            unclear = turn.after.get("unclear", ())
            snapshots = await self._open()
            before, after = _taken(turn.before), _taken(turn.after)
            if snapshots is not None and before is not None and after is not None:
                difference = await snapshots.difference(before, after, unclear)
                known = {change.path for change in changes}
                changes += [change for change in difference.changes if change.path not in known]
                unclear = [path for path in difference.unclear if path not in known]
            elif turn.after.get("unseen"):
                notes.append(f"turn {turn.number}: {UNSEEN}")
            notes += [f"{path} is left as it is: it was not kept in turn {turn.number}" for path in unclear]
            turns.append(changes)
        return turns, tools, notes

    async def _contents(self, states: Iterable[FileState]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        asked: list[FileState] = []
        for state in states:
            content = self._preimages.content(state)
            if content is None:
                asked.append(state)
            else:
                found[state.blob] = content
        if asked and self._snapshots is not None:
            found |= await self._snapshots.contents(asked)
        if missing := [state.blob[:12] for state in asked if state.blob not in found]:
            raise HostError(f"nothing was taken back: kept contents are gone: {', '.join(missing)}")
        return found

    async def _open(self) -> Snapshots | None:
        from roocode.security.undo.snapshots import Snapshots

        if not self._looked:
            index, session = self._folder / "index", self._conversation.header.id
            self._snapshots = await Snapshots.open(self._root, index, session, self._environ)
            self._looked = True
        return self._snapshots

    async def _take(self, turn: _Turn, when: str) -> Taken | None:
        async with asyncio.timeout(LONGEST_S):
            snapshots = await self._open()
            return await snapshots.take(f"{turn.number}-{when}") if snapshots else None

    async def _keep(self, turn: _Turn) -> None:
        try:
            turn.before = await self._take(turn, "before")
        except (RooCodeError, OSError, TimeoutError) as error:
            self._fail(turn, error)
        turn.is_kept = True
        files = turn.before.to_json() if turn.before else {}
        self._snapshot(turn, "before", files | ({"fault": turn.fault} if turn.fault else {}))

    def _keep_one(self, turn: _Turn, path: str) -> None:
        from roocode.security.undo.states import Unclear

        try:
            turn.tools[path] = self._preimages.keep(path)
        except Unclear:
            turn.unkept[path] = _sign(path)
        except RooCodeError as error:
            self._fail(turn, error)
            self._snapshot(turn, "after", {"fault": turn.fault})

    async def _after(self, turn: _Turn) -> dict[str, Any]:
        try:
            taken = await self._take(turn, "after")
            tools, unclear = _tool_changes(turn)
            count = {change.path for change in tools}
            if taken is not None and turn.before is not None and self._snapshots is not None:
                difference = await self._snapshots.difference(turn.before, taken)
                covered = {change.path for change in difference.changes}
                unclear = unclear - covered | set(difference.unclear)
                tools = [change for change in tools if change.path not in covered]
                count |= covered
        except (RooCodeError, OSError, TimeoutError) as error:
            self._fail(turn, error)
            return {"fault": turn.fault}
        facts = {
            "count": len(count),
            "unseen": turn.is_unseen,
            "unclear": sorted(unclear),
            "tools": [_to_json(each) for each in tools],
        }
        return (taken.to_json() if taken else {}) | facts

    def _snapshot(self, turn: _Turn, when: str, files: Mapping[str, Any]) -> None:
        self._note("snapshot", turn=turn.number, when=when, files=dict(files))

    def _note(self, kind: str, /, **fields: Any) -> None:
        self._conversation.note(kind, **fields)
        self.turns.take({"type": kind, **fields})

    def _fail(self, turn: _Turn, error: Exception) -> None:
        late = f"keeping its files took longer than {LONGEST_S:.0f} s"
        turn.fault = late if isinstance(error, TimeoutError) else getattr(error, "what", str(error))
        mend = getattr(error, "mend", "")
        self._told(f"this turn cannot be undone: {turn.fault}" + (f"\n{mend}" if mend else ""))


class _Turn:
    """What is kept of a turn: of the files that tools write, those as they were, and those that cannot be."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_kept = False
        self.is_unseen = False
        self.fault = ""
        self.before: Taken | None = None
        self.tools: dict[str, FileState | None] = {}
        self.unkept: dict[str, tuple[int, ...]] = {}


def folder(log: Path) -> Path:
    """Where the private index and the files of a session's turns lie: beside its log."""
    return log.with_suffix(".undo")


async def forget(root: Path, logs: Iterable[Path], environ: Mapping[str, str]) -> None:
    """Removes what was kept for sessions that are gone. Never raises for what git says."""
    import shutil

    from roocode.security.undo.snapshots import forget as forget_snapshots

    logs = tuple(logs)
    for log in logs:
        shutil.rmtree(folder(log), ignore_errors=True)
    if logs:
        with suppress(RooCodeError):
            await forget_snapshots(root, [log.stem for log in logs], environ)


def _tool_changes(turn: _Turn) -> tuple[list[Change], set[str]]:
    """What tools changed, and what of it nobody kept."""
    from roocode.security.undo.states import Change, Unclear, look

    changes, unclear = [], {path for path, sign in turn.unkept.items() if _sign(path) != sign}
    for path, before in turn.tools.items():
        try:
            after = look(path)
        except Unclear:
            unclear.add(path)
            continue
        if before != after:
            changes.append(Change(path, before, after))
    return changes, unclear


def _sign(path: str) -> tuple[int, ...]:
    """Stat data by which a change shows, where the content is not looked at."""
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def _taken(files: Mapping[str, Any]) -> Taken | None:
    from roocode.security.undo.snapshots import Taken

    return Taken.from_json(files) if files.get("tree") else None


def _to_json(change: Change) -> list[Any]:
    return [change.path, *([s.mode, s.blob] if s else None for s in (change.before, change.after))]


def _changes(values: Iterable[Any]) -> list[Change]:
    from roocode.security.undo.states import Change, FileState

    return [
        Change(os.fspath(path), *(FileState(*state) if state else None for state in states))
        for path, *states in values
    ]
