"""The git state in a session's log: read from git's files; what is uncommitted git is asked aside."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.errors import RooCodeError
from roocode.security.permissions.repository import around

SHORT: Final = 12
"""Digits of a commit that are shown."""
GRACE_S: Final = 0.2
"""How long the end of a session waits for git."""
_MOST_BYTES: Final = 16 * 1024 * 1024
_BRANCH: Final = "ref: refs/heads/"
_NO_FILES: Final = ".invalid"
"""The branch that HEAD names where refs are not kept in files."""


def head(root: Path) -> dict[str, str]:
    """Branch and commit of the checkout around a directory, in a moment: no git runs. Empty outside of one.

    A detached HEAD has no branch, a branch without a commit no commit.
    """
    own = around(root, root).own
    if not own:
        return {}
    git_dir, common = map(Path, own)
    named = next(_lines(git_dir / "HEAD"), "")
    if not named.startswith("ref: "):
        return {"branch": "", "commit": named} if _is_id(named) else {}
    ref = named.removeprefix("ref: ").strip()
    branch = named.removeprefix(_BRANCH) if named.startswith(_BRANCH) else ref
    return {} if branch == _NO_FILES else {"branch": branch, "commit": _commit(common, ref)}


def words(state: Mapping[str, Any]) -> str:
    """A state in words, empty where there is none."""
    branch, commit, dirty = state.get("branch"), str(state.get("commit") or ""), state.get("dirty")
    if not (branch or commit):
        return ""
    where = f"branch {branch}" if branch else "no branch"
    at = f"commit {commit[:SHORT]}" if commit else "no commit yet"
    how = "" if dirty is None else ", with uncommitted changes" if dirty else ", nothing uncommitted"
    return f"{where}, {at}{how}"


def moved(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """That another branch or commit is checked out than a session knows, in words; empty where it is not."""
    if not before or _place(before) == _place(now):
        return ""
    was, here = words({**before, "dirty": None}), words(now) or "no git repository"
    return f"git is not where this session left it: {was} then; {here} now" if was else ""


class GitNotes:
    """Notes the git state in a session's log once a run has begun: what is uncommitted then, and moves."""

    def __init__(self, conversation: Conversation, root: Path, environ: Mapping[str, str]) -> None:
        self._conversation = conversation
        self._known: Mapping[str, Any] = conversation.header.git
        self._root = root
        self._environ = environ
        self._begun = False
        self._told: Mapping[str, Any] | None = None
        self._asking: asyncio.Task[None] | None = None
        with suppress(RuntimeError):
            self._asking = asyncio.get_running_loop().create_task(self._ask())

    def begin(self) -> None:
        """A run begins. What git says later of the start is noted as soon as it says it."""
        self._begun = True
        self._note_told()

    def look(self) -> None:
        """Notes where HEAD is, if it moved."""
        now = head(self._root)
        if _place(now) != _place(self._known):
            self._note(now)

    async def said(self) -> None:
        """Waits until git has said what is uncommitted."""
        if self._asking is not None:
            await asyncio.wait([self._asking])

    async def close(self) -> None:
        """What git has not said by now is left out."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self.said()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _ask(self) -> None:
        from roocode.security.sandbox.git import Git
        from roocode.security.sandbox.git_status import read_status

        if not around(self._root, self._root).own:
            return
        with suppress(RooCodeError, OSError):
            status = await read_status(await Git.open(self._root, self._environ))
            place = {"branch": status.branch or "", "commit": status.head or ""}
            self._told = place | {"dirty": not status.clean}
            self._note_told()

    def _note_told(self) -> None:
        if self._begun and self._told is not None:
            self._note(self._told)
            self._told = None

    def _note(self, state: Mapping[str, Any]) -> None:
        self._known = state
        self._conversation.note("git", state=dict(state))


def _place(state: Mapping[str, Any]) -> tuple[Any, Any]:
    return state.get("branch") or "", state.get("commit") or ""


def _commit(common: Path, ref: str) -> str:
    if ".." not in ref and _is_id(loose := next(_lines(common / ref), "")):
        return loose
    return next((line.split()[0] for line in _lines(common / "packed-refs") if line.endswith(f" {ref}")), "")


def _lines(path: Path) -> Iterator[str]:
    """The lines of a regular file that is not huge; none of anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            yield from file.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and set(text) <= set("0123456789abcdef")
