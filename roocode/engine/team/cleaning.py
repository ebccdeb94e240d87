"""Removes a team: panes, worktrees, branches, files; never work that is not merged and not kept elsewhere."""

from __future__ import annotations

import asyncio
import errno

from roocode.engine.team import handshake, naming
from roocode.engine.team.backends.backend import Backend
from roocode.engine.team.founding import Founded
from roocode.engine.team.keyring import Keyring
from roocode.engine.team.wake import discard_socket
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen


@frozen
class Cleaned:
    """What is left of a team: the refs that keep what would have been lost."""

    rescued: tuple[str, ...]


async def clean(
    founded: Founded, backend: Backend, keys: Keyring, env: dict[str, str], *, force: bool
) -> Cleaned:
    """Cleans up. Raises UserError while a member is active, or where work would be lost.

    Whoever opened the team holds its lead's lock meanwhile.
    """
    store = founded.store
    team = await asyncio.to_thread(store.team)
    active = [m.name for m in team.members if await asyncio.to_thread(store.member_lock(m.name).is_held)]
    if active:
        raise UserError(
            f"{', '.join(active)} of team {team.name} still runs", f"roocode team stop --team {team.name}"
        )
    rescued: list[str] = []
    target = team.integration_branch
    for member in team.members:
        await backend.end(member.name)
        place = naming.member_place(founded.place.main_root, team.name, member.name)
        rescued += await founded.worktrees.remove(place, merged_into=target, force=force)
    await backend.close()
    place = naming.integration_place(founded.place.main_root, team.name)
    landed = team.base_branch or team.base_commit
    rescued += await founded.worktrees.remove(place, merged_into=landed, force=force)
    for name in ("lead", *(member.name for member in team.members)):
        discard_socket(store.root / "inboxes" / name, env)
    handshake.discard(store.root, env)
    await asyncio.to_thread(store.remove)
    await asyncio.to_thread(keys.remove)
    _remove_empty(founded)
    return Cleaned(tuple(rescued))


def _remove_empty(founded: Founded) -> None:
    """Directories of ours that hold nothing any more."""
    root = founded.place.main_root
    for folder in (f"{naming.WORKTREES}/{founded.team.name}", naming.WORKTREES, naming.TEAMS, ".roocode"):
        try:
            (root / folder).rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise HostError(f"cannot remove {root / folder}: {error.strerror}") from error
