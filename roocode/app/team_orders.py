"""A team from the shell: status, list, attach, message, tasks, logs, stop, answers, merge, cleanup."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import TypeAlias, assert_never

from roocode.app.signals import until_signalled
from roocode.app.teams import answering, ending, watching
from roocode.engine.team.founding import find_store
from roocode.engine.team.mail import MailRefused
from roocode.engine.team.post import TeamPost
from roocode.engine.team.ready import log_tail
from roocode.engine.team.repository import locate
from roocode.engine.team.store.files import FileTeamStore
from roocode.interaction.cli.orders import (
    TeamAnswer,
    TeamAttach,
    TeamCleanup,
    TeamList,
    TeamLogs,
    TeamMerge,
    TeamMessage,
    TeamOrder,
    TeamStatus,
    TeamStop,
    TeamTasks,
)
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError
from roocode.protocol.team import LEAD, Member
from roocode.security.isolation.masking import Mask

SHELL = "shell"
Env: TypeAlias = Mapping[str, str]


def team_order(order: TeamOrder, mask: Mask) -> int:
    """Carries it out and returns the exit code."""
    return asyncio.run(until_signalled(_carry_out(order, dict(os.environ), mask)))


async def _carry_out(order: TeamOrder, env: Env, mask: Mask) -> int:
    cwd = order.options.cwd if isinstance(order, TeamMerge) else order.cwd
    place = await locate(cwd, env)
    if isinstance(order, TeamList):
        return _print(watching.listing(place, as_json=order.json))
    store = find_store(place, order.team, mask)
    match order:
        case TeamStatus() if order.watch:
            return await watching.board(store, as_json=order.json)
        case TeamStatus():
            return _print(watching.status(store, as_json=order.json))
        case TeamTasks():
            return _print(watching.tasks(store, as_json=order.json))
        case TeamLogs():
            return _print(mask(_log(store, order)))
        case TeamAttach():
            return await watching.attach(store, _named(store, order.member), env)
        case TeamMessage():
            return _print(await _message(store, order))
        case TeamStop():
            return _print(await ending.stop(store, _named(store, order.member), env))
        case TeamAnswer():
            return _print(await answering.answer(store, order, env))
        case TeamMerge() if order.preview:
            return _print(await ending.forecast(store, place))
        case TeamMerge():
            return await ending.merge(order, store.team().name, env, mask)
        case TeamCleanup():
            return _print(await ending.cleanup(order.cwd, store.team().name, env, mask, force=order.force))
        case _:
            assert_never(order)


async def _message(store: FileTeamStore, order: TeamMessage) -> str:
    """From the shell, as the lead would write to a member; to the lead, as a word from the shell."""
    team = store.team()
    sender = SHELL if order.member in (LEAD, team.lead_agent_id) else LEAD
    try:
        told = await TeamPost(store, sender).send(order.member, "", order.text)
    except MailRefused as error:
        raise UserError(error.what, error.mend) from error
    member = team.member(order.member)
    read = member is not None and store.member_lock(member.name).is_held()
    if read or sender == SHELL or store.lead_lock().is_held():
        return told
    return f"Queued: no lead is running; `roocode team resume --team {team.name}` brings the team back."


def _log(store: FileTeamStore, order: TeamLogs) -> str:
    if order.member not in (LEAD, "verify"):
        _named(store, order.member)
    text = log_tail(store.root / "logs" / f"{order.member}.log", order.lines)
    return text or f"The log of {order.member} is empty."


def _named(store: FileTeamStore, name: str | None) -> Member | None:
    if name is None:
        return None
    team = store.team()
    member = team.member(name)
    if member is None:
        names = ", ".join(m.name for m in team.members) or "nobody yet"
        raise UserError(f"there is no member {name} in team {team.name}", f"its members: {names}")
    return member


def _print(text: str) -> int:
    sys.stdout.write(visible(text.rstrip("\n")) + "\n")
    return 0
