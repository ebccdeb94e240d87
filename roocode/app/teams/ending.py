"""Stops, merges and cleans up a team from another shell than the lead's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from roocode.app.teams.staff import backend_of
from roocode.app.teams.terms import check
from roocode.engine.team import mail
from roocode.engine.team.backends.backend import Backend
from roocode.engine.team.backends.choose import Choice
from roocode.engine.team.cleaning import clean
from roocode.engine.team.codec import timestamp
from roocode.engine.team.founding import Founded, reopen
from roocode.engine.team.integration import Check, TeamIntegration
from roocode.engine.team.keyring import Keyring
from roocode.engine.team.lead import Verification
from roocode.engine.team.merge import Integrator
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.release import free_tasks
from roocode.engine.team.repository import Located
from roocode.engine.team.standing import member_states
from roocode.engine.team.stopping import note_stop
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.termination import end_holder
from roocode.interaction.cli.orders import TeamMerge
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import find_places
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.team import AT_WORK, LEAD, Member, ShutdownRequest
from roocode.security.isolation.masking import Mask
from roocode.security.sandbox.process import until

MEMBER_WITHIN_S = 3.0
LEAD_WITHIN_S = 60.0
STOP_ALL = "roocode team stop ends the lead, and with it all members"


async def stop(store: FileTeamStore, member: Member | None, env: Mapping[str, str]) -> str:
    """Stops one member, or the lead and with it all; work is committed, nothing is removed."""
    if member is not None:
        return await _stop_member(store, member, env)
    lines = []
    if store.lead_lock().is_held():
        if not await end_holder(store.lead_lock(), grace_s=LEAD_WITHIN_S):
            raise HostError(f"the lead (process {store.lead_lock().holder()}) does not end")
        lines.append("The lead has stopped, and with it its members.")
    team = await asyncio.to_thread(store.team)
    left = [one for one in team.members if store.member_lock(one.name).is_held()]
    await asyncio.gather(*(_ask_and_end(store, one, env) for one in left))
    await _backend(store, env).close()
    lines += [f"{one.name} has stopped." for one in left]
    return "\n".join(lines) or f"Nothing of team {team.name} runs."


async def cleanup(cwd: Path, name: str, env: Mapping[str, str], mask: Mask, *, force: bool) -> str:
    """Removes all of a team. Raises UserError while something of it runs, or where work would be lost."""
    founded = await reopen(cwd, name, environ=env, mask=mask)
    with founded.held:
        keys = Keyring(find_places(cwd, env).home, founded.store.root)
        done = await clean(founded, _backend(founded.store, env), keys, dict(env), force=force)
    kept = f"\nKept: {', '.join(done.rescued)}" if done.rescued else ""
    return f"Team {name} is cleaned up.{kept}"


async def merge(order: TeamMerge, name: str, env: Mapping[str, str], mask: Mask) -> int:
    """Merges what is open, verifies the whole and lands it. Raises UserError while a member works."""
    founded = await reopen(order.options.cwd, name, environ=env, mask=mask)
    with founded.held:
        states = await asyncio.to_thread(member_states, founded.store)
        working = ", ".join(member for member, state in states.items() if state in AT_WORK)
        if working:
            raise UserError(f"{working} of team {name} still works", f"roocode team stop --team {name}")
        settings = load_settings(order.options.cwd, env, order.options.flags)
        log = founded.store.root / "logs" / "verify.log"
        return await _merge_all(founded, check(settings, founded.integrator.git.cwd, env, log))


async def forecast(store: FileTeamStore, place: Located) -> str:
    """Which members' branches would conflict. Changes nothing, also while the team runs."""
    team = await asyncio.to_thread(store.team)
    integrator = Integrator(place.git, team.integration_branch, team.base_commit)
    clashes = await integrator.forecast({m.name: m.branch for m in team.members})
    lines = [f"{' and '.join(sorted(c.pair))} conflict in {', '.join(c.paths)}" for c in clashes]
    return "\n".join(lines) or "No two branches conflict."


async def _merge_all(founded: Founded, proof: Check) -> int:
    store = founded.store
    integration = TeamIntegration(
        store,
        founded.integrator,
        founded.worktrees,
        TeamPost(store, LEAD),
        lambda: member_states(store),
        proof,
        checkout=founded.place.checkout,
    )
    conflicts = await integration.merge_open()
    if conflicts:
        print(visible(store.mask("\n\n".join(conflicts))))
        return 1
    checked = await integration.verify()
    if not isinstance(checked, Verification):
        print(visible(store.mask(checked)))
        return 1
    if checked.exit_code != 0:
        print(f"All is merged, but `{visible(checked.command)}` ended with exit code {checked.exit_code}:")
        print(visible(store.mask(checked.tail)))
        return 1
    landed, words = await integration.land()
    print(visible(words))
    return 0 if landed else 1


async def _stop_member(store: FileTeamStore, member: Member, env: Mapping[str, str]) -> str:
    if not store.member_lock(member.name).is_held():
        return f"{member.name} is not running."
    await _ask_and_end(store, member, env)
    if not store.lead_lock().is_held():
        await asyncio.to_thread(free_tasks, store, member.name, "was stopped")
    return f"{member.name} has stopped; a message or `roocode team resume` starts it again."


async def _ask_and_end(store: FileTeamStore, member: Member, env: Mapping[str, str]) -> None:
    """The person's word is final: a member that does not follow in time is ended. A lead notes the stop."""
    lock = store.member_lock(member.name)
    keys = Keyring(find_places(store.root, env).home, store.root)
    powers = LeadsPowers(key_of=keys.of, mode=lambda: "default", revive=_no_revival)
    request = ShutdownRequest(
        id=mail.new_id(),
        from_=LEAD,
        to=member.name,
        timestamp=timestamp(),
        summary="please stop",
        reason="the person stops you",
    )
    await TeamPost(store, LEAD, powers).deliver(request)
    if not await until(lambda: not lock.is_held(), MEMBER_WITHIN_S):
        if member.backend_type == "in-process":
            raise HostError(f"{member.name} works inside the lead's process and does not stop", STOP_ALL)
        if not await end_holder(lock):
            raise HostError(f"{member.name} (process {lock.holder()}) does not end")
    if not store.lead_lock().is_held():
        await _backend(store, env).end(member.name)
        await asyncio.to_thread(note_stop, store, member.name, "the person stopped it")


async def _no_revival(name: str) -> str:
    return f"{name} is not running."


def _backend(store: FileTeamStore, env: Mapping[str, str]) -> Backend:
    uses_tmux = any(member.backend_type == "tmux" for member in store.team().members)
    choice = Choice("tmux" if uses_tmux else "in-process", "as the members had it")
    return backend_of(choice, env, store.root, store.mask)
