"""`roocode team` and `roocode team resume`: leads a team, at a terminal or without a person."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping

from roocode.app.output import Output
from roocode.app.signals import until_signalled
from roocode.app.teams import report
from roocode.app.teams.opening import open_team
from roocode.app.teams.running import (
    Request,
    backend_notes,
    begin,
    commit_counts,
    ground_of,
    how_to_go_on,
)
from roocode.engine.team.cleaning import clean
from roocode.engine.team.lead import Outcome
from roocode.protocol.errors import RooCodeError
from roocode.protocol.team import LEAD


def lead(request: Request, env: Mapping[str, str] | None = None) -> int:
    """Leads a team to its end, or until the person leaves; returns the exit code."""
    env = dict(os.environ) if env is None else env
    if not request.headless and sys.stdin.isatty() and sys.stdout.isatty():
        from roocode.app.team_chat import chat

        return chat(request, env)
    output = Output(
        request.output, agent=LEAD, verbose=request.options.verbose, partial=request.partial_messages
    )
    try:
        return asyncio.run(until_signalled(headless(request, env, output)))
    except RooCodeError as error:
        output.finish(str(error), error.exit_code)
        return error.exit_code


async def headless(request: Request, env: Mapping[str, str], output: Output) -> int:
    """Runs without a person: ends with one object, and nothing of ours outlives it."""
    started = time.monotonic()
    ground = await ground_of(request, env, headless=True)
    for note in (*ground.settings.notes, *ground.founded.notes, *backend_notes(ground)):
        output.note(note)
    team = await open_team(ground, output.show)
    try:
        first = await begin(request, team)
        outcome = await team.lead.lead(first)
    finally:
        await team.close("the run ends")
    value = report.result(
        ground.founded.store,
        outcome,
        await commit_counts(ground.founded),
        round((time.monotonic() - started) * 1000),
    )
    code = report.EXIT_CODES[outcome.status]
    if request.cleanup and outcome.status == "completed":
        await clean(ground.founded, team.staff.backend, ground.keys, dict(env), force=False)
    else:
        for line in how_to_go_on(ground):
            output.note(line)
    output.finish(error=_trouble(outcome), exit_code=code, team=value)
    return code


def _trouble(outcome: Outcome) -> str:
    return "" if outcome.status == "completed" else "; ".join(outcome.left) or outcome.status
