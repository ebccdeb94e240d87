"""Stops, merges and cleans up a team from another shell than the lead's."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from roocode.app.teams.ground import Ground, Wants, prepare
from roocode.app.teams.staff import backend_of
from roocode.engine.team import mail
from roocode.engine.team.backends.backend import Backend
from roocode.engine.team.backends.choose import Choice
from roocode.engine.team.cleaning import clean
from roocode.engine.team.codec import timestamp
from roocode.engine.team.founding import Founded, reopen
from roocode.engine.team.integration import TeamIntegration
from roocode.engine.team.keyring import Keyring
from roocode.engine.team.lead import Verification
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.standing import member_states
from roocode.engine.team.store.files import FileTeamStore
from roocode.engine.team.store.life_lock import LifeLock
from roocode.interaction.cli.orders import TeamMerge
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import find_places
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.team import LEAD, Member, ShutdownRequest

MEMBER_WITHIN_S = 10.0
LEAD_WITHIN_S = 60.0
LOOK_EVERY_S = 0.05
STOP_ALL = "roocode team stop ends the lead, and with it all members"


async def stop(store: FileTeamStore, member: Member | None, env: Mapping[str, str]) -> str:
    """Stops one member, or the lead and with it all; work is committed, nothing is removed."""
    team = store.team()
    if member is not None:
        return await _stop_member(store, member, env)
    lines = []
    if store.lead_lock().is_held():
        await _signal(store.lead_lock(), store, LEAD, signal.SIGTERM, LEAD_WITHIN_S)
        lines.append("The lead has stopped, and with it its members.")
    for one in team.members:
        if store.member_lock(one.name).is_held():
            lines.append(await _stop_member(store, one, env))
    return "\n".join(lines) or f"Nothing of team {team.name} runs."


async def cleanup(cwd: Path, name: str, env: Mapping[str, str], *, force: bool) -> str:
    """Removes all of a team. Raises UserError while something of it runs, or where work would be lost."""
    founded = await reopen(cwd, name, environ=env)
    if founded.store.lead_lock().is_held():
        raise UserError(f"the lead of team {name} still runs", f"roocode team stop --team {name}")
    keys = Keyring(find_places(cwd, env).home, founded.store.root)
    done = await clean(founded, _backend(founded, env), keys, dict(env), force=force)
    kept = f"\nKept: {', '.join(done.rescued)}" if done.rescued else ""
    return f"Team {name} is cleaned up.{kept}"


async def merge(order: TeamMerge, name: str, env: Mapping[str, str]) -> int:
    """Merges what is open, verifies the whole and lands it; with `preview` only says what would conflict."""
    founded = await reopen(order.options.cwd, name, environ=env)
    branches = {m.name: m.branch for m in founded.team.members}
    if order.preview:
        clashes = await founded.integrator.forecast(branches)
        lines = [f"{' and '.join(sorted(c.pair))} conflict in {', '.join(c.paths)}" for c in clashes]
        print("\n".join(lines) or "No two branches conflict.")
        return 0
    if founded.store.lead_lock().is_held():
        raise UserError(f"the lead of team {name} runs and merges itself", f"roocode team stop --team {name}")
    settings = load_settings(order.options.cwd, env, order.options.flags)
    ground = prepare(founded, settings, Wants(order.options, headless=True), env)
    return await _merge_all(ground)


async def _merge_all(ground: Ground) -> int:
    store = ground.founded.store
    integration = TeamIntegration(
        store,
        ground.founded.integrator,
        ground.founded.worktrees,
        TeamPost(store, LEAD),
        lambda: member_states(store),
        ground.check,
        checkout=ground.founded.place.checkout,
    )
    conflicts = await integration.merge_open()
    if conflicts:
        print("\n\n".join(conflicts))
        return 1
    checked = await integration.verify()
    if not isinstance(checked, Verification):
        print(checked)
        return 1
    if checked.exit_code != 0:
        print(f"All is merged, but `{checked.command}` ended with exit code {checked.exit_code}:")
        print(checked.tail)
        return 1
    landed, words = await integration.land()
    print(words)
    return 0 if landed else 1


async def _stop_member(store: FileTeamStore, member: Member, env: Mapping[str, str]) -> str:
    lock = store.member_lock(member.name)
    if not lock.is_held():
        return f"{member.name} is not running."
    home = find_places(store.root, env).home
    keys = Keyring(home, store.root)
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
    if not await _gone(lock, MEMBER_WITHIN_S):
        if member.backend_type == "in-process":
            raise HostError(f"{member.name} works inside the lead's process and does not stop", STOP_ALL)
        await _signal(lock, store, member.name, signal.SIGTERM, MEMBER_WITHIN_S)
    await asyncio.to_thread(store.update_member, member.name, is_active=False)
    return f"{member.name} has stopped; a message or `roocode team resume` starts it again."


async def _signal(
    lock: LifeLock, store: FileTeamStore, name: str, number: signal.Signals, within_s: float
) -> None:
    """Signals the process that holds a lock, and KILLs it when it does not end. Raises HostError."""
    report = store.report(name)
    for sent in (number, signal.SIGKILL):
        if report is None or not lock.is_held():
            return
        os.kill(report.pid, sent)
        if await _gone(lock, within_s):
            return
    raise HostError(f"{name} (pid {report.pid if report else '?'}) does not end")


async def _gone(lock: LifeLock, within_s: float) -> bool:
    ends = time.monotonic() + within_s
    while lock.is_held():
        if time.monotonic() > ends:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    return True


async def _no_revival(name: str) -> str:
    return f"{name} is not running."


def _backend(founded: Founded, env: Mapping[str, str]) -> Backend:
    uses_tmux = any(member.backend_type == "tmux" for member in founded.team.members)
    return backend_of(Choice("tmux" if uses_tmux else "in-process", "as the members had it"), env)
