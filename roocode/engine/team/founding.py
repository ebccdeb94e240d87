"""Founds a team in a repository, or opens one that is there: roster, base, integration worktree."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from roocode.engine.team import naming
from roocode.engine.team.codec import timestamp
from roocode.engine.team.merge import Integrator
from roocode.engine.team.repository import (
    Located,
    Repository,
    exclude,
    free_name,
    inspect,
    locate,
    require_free,
)
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.store.life_lock import AlreadyHeld, Held
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import LEAD, Team
from roocode.security.isolation.masking import Mask, unmasked
from roocode.security.isolation.worktree import Worktrees


@frozen
class Founded:
    """An open team: its files, its repository, and the worktree where the work comes together.

    Whoever opened it leads it: `held` is the lead's lock, to be released at the end.
    """

    team: Team
    held: Held
    store: FileTeamStore
    place: Located
    worktrees: Worktrees
    integrator: Integrator
    notes: tuple[str, ...] = ()


async def found(
    cwd: Path,
    goal: str,
    *,
    name: str | None,
    base: str | None,
    dirty: Literal["ignore", "refuse"],
    environ: Mapping[str, str],
    now: float,
    mask: Mask = unmasked,
) -> Founded:
    """Founds a team. Raises UserError for a repository that is not fit, and changes nothing then."""
    repository = await inspect(cwd, base=base, environ=environ)
    if dirty == "refuse" and repository.dirty:
        raise UserError(
            f"{repository.dirty} files in {repository.checkout} have changes that are not committed",
            "Commit or stash them, or use --dirty ignore: the team then does not see them.",
        )
    if name is not None:
        await require_free(repository, name)
    _refuse_links(repository.main_root)
    await asyncio.to_thread(exclude, repository.common_dir)
    store = await _create(repository, mask(goal), name, mask)
    team = await asyncio.to_thread(store.team)
    base_name = repository.base_branch or "a detached HEAD"
    detail = {"branch": team.integration_branch, "base": f"{base_name} at {team.base_commit[:12]}"}
    held = await asyncio.to_thread(store.lead_lock().hold)
    try:
        await asyncio.to_thread(store.record, "created", LEAD, detail)
        return await _opened(repository, store, team, held, repository.describe(now))
    except BaseException:
        try:
            await asyncio.to_thread(store.remove)
        finally:
            held.release()
        raise


def _refuse_links(main_root: Path) -> None:
    """What a team writes stays inside the repository."""
    for folder in (".roocode", naming.TEAMS, naming.WORKTREES):
        if (main_root / folder).is_symlink():
            raise UserError(f"{main_root / folder} is a symbolic link", "Remove it: a team's files go there.")


async def _create(repository: Repository, goal: str, name: str | None, mask: Mask) -> FileTeamStore:
    """The files of a new team; a name that is made from the goal gives way to one that is there already."""
    while True:
        chosen = name or await free_name(repository, goal)
        store = FileTeamStore(team_directory(repository, chosen), mask)
        team = Team(
            name=chosen,
            lead_agent_id=f"a-{chosen}-{LEAD}",
            goal=goal,
            created_at=timestamp(),
            base_branch=repository.base_branch,
            base_commit=repository.base_commit,
            integration_branch=naming.integration_branch(chosen),
        )
        try:
            await asyncio.to_thread(store.create, team)
        except UserError:
            if name is not None:
                raise
        else:
            return store


async def reopen(
    cwd: Path, name: str | None, *, environ: Mapping[str, str], mask: Mask = unmasked
) -> Founded:
    """Opens the team of that name, or the only one.

    Raises UserError where there is none, and AlreadyHeld while a lead lives: nothing is touched under it.
    """
    place = await locate(cwd, environ)
    store = await asyncio.to_thread(find_store, place, name, mask)
    team = await asyncio.to_thread(store.team)
    held = await asyncio.to_thread(_take_lead, store, team.name)
    try:
        return await _opened(place, store, team, held, ())
    except BaseException:
        held.release()
        raise


def find_store(place: Located, name: str | None, mask: Mask = unmasked) -> FileTeamStore:
    """The files of the team of that name, or of the only one. Raises UserError."""
    names = team_names(place)
    if name is None and len(names) == 1:
        name = names[0]
    if name is None:
        what = f"there are {len(names)} teams here: {', '.join(names)}" if names else "there is no team here"
        raise UserError(what, "name one of them" if names else 'start one: roocode team "goal"')
    if name not in names:
        raise UserError(f"there is no team {name} here", "roocode team list shows those there are")
    return FileTeamStore(team_directory(place, name), mask)


def team_names(place: Located) -> tuple[str, ...]:
    """The teams of a repository, by name."""
    folder = place.main_root / naming.TEAMS
    if not folder.is_dir():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if (path / "team.json").is_file()))


def team_directory(place: Located, name: str) -> Path:
    """Where a team's files are."""
    return place.main_root / naming.TEAMS / name


def _take_lead(store: FileTeamStore, name: str) -> Held:
    try:
        return store.lead_lock().hold()
    except AlreadyHeld as error:
        raise AlreadyHeld(
            f"team {name} has a lead already (process {store.lead_lock().holder() or 'unknown'})",
            f"roocode team status {name} shows it; roocode team stop --team {name} ends it.",
        ) from error


async def _opened(
    place: Located, store: FileTeamStore, team: Team, held: Held, notes: tuple[str, ...]
) -> Founded:
    worktrees = Worktrees(place.git, place.common_dir)
    integrator = await Integrator.open(
        worktrees,
        naming.integration_place(place.main_root, team.name),
        base=team.base_commit,
        reason=f"roocode team {team.name}: integration",
    )
    return Founded(team, held, store, place, worktrees, integrator, notes)
