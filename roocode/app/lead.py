"""`roocode team` and `roocode team resume`: leads a team, at a terminal or without a person."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping

from roocode.app.model_notes import model_notes
from roocode.app.output import Output
from roocode.app.signals import until_signalled
from roocode.app.teams import report
from roocode.app.teams.opening import OpenTeam, open_team
from roocode.app.teams.running import (
    Request,
    backend_notes,
    begin,
    budget_notes,
    commit_counts,
    ground_of,
    how_to_go_on,
)
from roocode.engine.team.cleaning import clean
from roocode.engine.team.lead import Outcome
from roocode.engine.team.stopping import ANSWER_WITHIN_S, HURRIED_ANSWER_S
from roocode.protocol.errors import RooCodeError
from roocode.protocol.team import LEAD
from roocode.security.isolation.secrets import Secrets

INTERRUPTED = 130


def lead(request: Request, secrets: Secrets, env: Mapping[str, str] | None = None) -> int:
    """Leads a team to its end, or until the person leaves; returns the exit code."""
    env = dict(os.environ) if env is None else env
    if not request.headless and sys.stdin.isatty() and sys.stdout.isatty():
        from roocode.app.team_chat import chat

        return chat(request, env, secrets)
    output = Output(
        request.output,
        agent=LEAD,
        verbose=request.options.verbose,
        partial=request.partial_messages,
        mask=secrets,
    )
    return output.conclude(
        lambda: asyncio.run(until_signalled(headless(request, env, output, secrets))), report.refused
    )


async def headless(request: Request, env: Mapping[str, str], output: Output, secrets: Secrets) -> int:
    """Runs without a person: ends with one object, and nothing of ours outlives it.

    A cancel stops the members with their work committed, and is raised again behind the object.
    """
    started = time.monotonic()
    ground = await ground_of(request, env, secrets, headless=True)
    with ground.founded.held:
        team = await open_team(ground, output.show)
        for note in (
            *ground.notes,
            *backend_notes(ground),
            *budget_notes(ground),
            *model_notes(ground.options),
        ):
            output.note(note)
        outcome = await _lead_to_the_end(request, team)
        value = report.result(
            ground.founded.store,
            outcome,
            await commit_counts(ground.founded),
            round((time.monotonic() - started) * 1000),
        )
        if request.cleanup and outcome.status == "completed":
            await clean(ground.founded, team.staff.backend, ground.keys, dict(env), force=False)
        else:
            for line in how_to_go_on(ground, outcome):
                output.note(line)
    code = report.exit_code(outcome)
    output.finish(error=_trouble(outcome), exit_code=code, team=value)
    if code == INTERRUPTED:
        raise asyncio.CancelledError
    return code


async def _lead_to_the_end(request: Request, team: OpenTeam) -> Outcome:
    """What came of the run, whatever ended it; all members are stopped then."""
    reason, ask_s = "the run ends", ANSWER_WITHIN_S
    try:
        return await team.lead.lead(await begin(request, team))
    except asyncio.CancelledError:
        reason, ask_s = "the run was interrupted", HURRIED_ANSWER_S
        merged = await team.parts.integration.merged()
        return Outcome("incomplete", "", merged, left=(reason,), exit_code=INTERRUPTED)
    except RooCodeError as error:
        merged = await team.parts.integration.merged()
        return Outcome("failed", "", merged, left=(str(error),), exit_code=error.exit_code)
    finally:
        await team.close(reason, ask_s=ask_s)


def _trouble(outcome: Outcome) -> str:
    return "" if outcome.status == "completed" else "; ".join(outcome.left) or outcome.status
