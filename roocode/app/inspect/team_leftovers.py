"""Teams that nobody leads any more, and worktrees that no team owns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

from roocode.engine.team.naming import TEAMS, WORKTREES
from roocode.engine.team.repository import locate
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.errors import RooCodeError

Row = tuple[str, Literal["ok", "warning", "error"], str, str]


async def team_findings(cwd: Path) -> AsyncIterator[Row]:
    """Name, status, detail and mend for each team and each stray worktree; nothing outside a repository."""
    try:
        main_root = (await locate(cwd)).main_root
    except RooCodeError:
        return
    for row in _teams(main_root):
        yield row
    for row in _strays(main_root):
        yield row


def _teams(main_root: Path) -> Iterator[Row]:
    for roster in sorted((main_root / TEAMS).glob("*/team.json")):
        name = roster.parent.name
        try:
            yield _team(name, FileTeamStore(roster.parent))
        except RooCodeError as error:
            yield f"team {name}", "error", error.what, error.mend


def _team(name: str, store: FileTeamStore) -> Row:
    members = store.team().members
    if store.lead_lock().is_held():
        return f"team {name}", "ok", f"{len(members)} members, its lead is running", ""
    running = [member.name for member in members if store.member_lock(member.name).is_held()]
    if running:
        detail = f"no lead, but {', '.join(running)} still running"
        return (
            f"team {name}",
            "warning",
            detail,
            f"roocode team resume --team {name}, or roocode team stop --team {name}",
        )
    mend = f"roocode team resume --team {name}, or roocode team cleanup {name}"
    return f"team {name}", "warning", f"{len(members)} members, nobody is running", mend


def _strays(main_root: Path) -> Iterator[Row]:
    for folder in sorted((main_root / WORKTREES).glob("*/*")):
        team = folder.parent.name
        if not (main_root / TEAMS / team / "team.json").exists():
            mend = f"look at it, then: git worktree remove {folder}"
            yield "worktree", "warning", f"{folder} belongs to a team that is gone", mend
