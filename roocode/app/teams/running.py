"""What every run of a team has in common: finding or founding it, its first prompt, its last words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from roocode.app import moment
from roocode.app.assemble import model_of
from roocode.app.teams.ground import Ground, Wants, prepare
from roocode.app.teams.opening import OpenTeam
from roocode.app.teams.resuming import bring_back
from roocode.app.teams.terms import backend_choice
from roocode.engine.loop.turn import prompt_of
from roocode.engine.team.backends.tmux import session_name
from roocode.engine.team.backends.tmux_server import SOCKET
from roocode.engine.team.founding import Founded, found, reopen
from roocode.engine.team.lead import Outcome
from roocode.engine.team.spending import spent_by
from roocode.interaction.cli.requests import TeamRequest, TeamResume
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import resolve_model
from roocode.interaction.config.settings import Settings
from roocode.protocol.messages import Message, Usage
from roocode.protocol.team import LEAD
from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets

Request: TypeAlias = TeamRequest | TeamResume


async def ground_of(request: Request, env: Mapping[str, str], secrets: Secrets, *, headless: bool) -> Ground:
    """Founds or reopens the team that a command line means. All bad input ends here, with nothing changed."""
    options = request.options
    settings = load_settings(options.cwd, env, options.flags)
    wants = Wants(
        options,
        headless,
        request.merge,
        request.teammate_model if isinstance(request, TeamRequest) else None,
    )
    _check_beforehand(settings, env)
    founded = await (
        _found(request, env, secrets)
        if isinstance(request, TeamRequest)
        else reopen(options.cwd, request.team, environ=env, mask=secrets)
    )
    return prepare(founded, settings, wants, env, secrets)


async def begin(request: Request, team: OpenTeam) -> Message | None:
    """Starts to look after the members, and gives the lead's first prompt."""
    ground = team.ground
    if isinstance(request, TeamResume):
        first = await bring_back(team, request.member, request.text)
        team.staff.supervisor.watch()
        return first
    team.staff.supervisor.watch()
    words = moment.reminders(ground.founded.place.main_root, ground.options.mode)
    return prompt_of(request.goal, *words)


def backend_notes(ground: Ground) -> tuple[str, ...]:
    """Which backend the team has, why, how to see it, and how to get a better one."""
    choice, apart = ground.choice, ground.choice.name == "tmux" and not ground.env.get("TMUX")
    lines = [f"Team {ground.name}: teammates run {_where(choice.name)} ({choice.why})."]
    if apart:
        session = session_name(ground.founded.store.root)
        anywhere = f"from anywhere: tmux -L {SOCKET} attach -t {session}"
        lines.append(f"Watch them in another terminal: roocode team attach --team {ground.name} ({anywhere})")
    lines += [f"{choice.hint[0].upper()}{choice.hint[1:]}."] if choice.hint else []
    return tuple(lines)


def budget_notes(ground: Ground) -> Iterator[str]:
    """What the whole team may use and has used, and a budget that cannot be kept."""
    budget, store = ground.budget, ground.founded.store
    names = (LEAD, *(member.name for member in ground.founded.team.members))
    spent = spent_by([report for name in names if (report := store.report(name)) is not None])
    parts = (
        (budget.tokens, f"{spent.tokens} of {budget.tokens} tokens"),
        (budget.cost_usd, f"{spent.cost_usd:.4f} of {budget.cost_usd or 0:.2f} USD"),
        (budget.seconds, f"{spent.seconds:.0f} of {budget.seconds or 0:g} seconds"),
    )
    used = [words for limit, words in parts if limit is not None]
    if used and spent.tokens:
        yield f"The team has used {', '.join(used)}."
    if budget.cost_usd is not None and model_of(ground.options.model).cost(Usage()) is None:
        yield (
            f"The price of {ground.model_name} is not known, so --max-budget-usd ends the team after its "
            "first request: set its price (models.NAME.input_price), or use --max-budget-tokens."
        )


def how_to_go_on(ground: Ground, outcome: Outcome | None = None) -> tuple[str, ...]:
    """What a person can do with a team that stays."""
    name = ground.name
    more = " and a larger budget" if outcome is not None and outcome.status == "budget" else ""
    return (
        f"Team {name} stays: go on with `roocode team resume --team {name}`{more}, "
        f"or remove it with `roocode team cleanup {name}`.",
    )


async def commit_counts(founded: Founded) -> dict[str, int]:
    """How many commits each member's branch has that the base lacks, merges of others' work left out."""
    team = await asyncio.to_thread(founded.store.team)
    counts = {}
    for member in team.members:
        log = ("rev-list", "--count", "--first-parent", "--no-merges", f"refs/heads/{member.branch}")
        counted = await founded.place.git(*log, f"^{team.base_commit}", ok=(0, 128))
        counts[member.name] = int(counted.line) if counted.code == 0 else 0
    return counts


async def _found(request: TeamRequest, env: Mapping[str, str], mask: Mask) -> Founded:
    return await found(
        Path(request.options.cwd),
        request.goal,
        name=request.name,
        base=request.base,
        dirty=request.dirty,
        environ=env,
        now=time.time(),
        mask=mask,
    )


def _check_beforehand(settings: Settings, env: Mapping[str, str]) -> None:
    """What must be right before anything is made: a model that can be asked, and the backend."""
    model_of(resolve_model(settings, None, env))
    backend_choice(settings, env)


def _where(backend: str) -> str:
    return {"tmux": "in tmux panes", "in-process": "inside this process"}.get(backend, backend)
