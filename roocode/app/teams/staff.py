"""Who runs the team for its lead: backend, crew, supervisor and post."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType

from roocode.app.subagents.found import Definitions
from roocode.app.teammate import live
from roocode.app.teams import terms
from roocode.app.teams.ground import Ground
from roocode.engine.team import handshake as handshakes
from roocode.engine.team.backends.backend import Backend
from roocode.engine.team.backends.choose import Choice
from roocode.engine.team.backends.in_process import InProcessBackend
from roocode.engine.team.crew import Crew, Terms
from roocode.engine.team.places import Places
from roocode.engine.team.post import LeadsPowers, TeamPost
from roocode.engine.team.supervisor import Loss, Supervisor
from roocode.interaction.config.settings import RuleLine
from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import Event
from roocode.protocol.team import LEAD
from roocode.security.isolation.masking import Mask


@dataclass(slots=True)
class Staff:
    """The parts that start, watch and reach members. `changed` is set when the lead should look.

    `learned` are rules that the person stored since the lead's start: members that start now know them.
    """

    backend: Backend
    crew: Crew
    supervisor: Supervisor
    post: TeamPost
    changed: asyncio.Event
    losses: list[Loss] = field(default_factory=list)
    learned: list[RuleLine] = field(default_factory=list)


def hire(ground: Ground, runtime: Path) -> Staff:
    """Puts the staff together; nothing runs yet. `runtime` is a private directory for handshakes."""
    founded = ground.founded
    backend = backend_of(ground.choice, ground.env, founded.store.root, ground.secrets)
    learned: list[RuleLine] = []
    crew = Crew(
        founded.store,
        founded.store.root,
        founded.place,
        founded.worktrees,
        _terms(ground, runtime, learned),
        ground.keys,
    )
    changed, losses = asyncio.Event(), list[Loss]()

    def lost(loss: Loss) -> None:
        losses.append(loss)
        changed.set()

    places = Places(founded.store, backend, crew, logs=founded.store.root / "logs")
    supervisor = Supervisor(founded.store, places, crew, lost=lost, changed=changed.set)
    powers = LeadsPowers(key_of=crew.key_of, mode=lambda: ground.settings.mode, revive=supervisor.revive)
    post = TeamPost(founded.store, LEAD, powers)
    crew.attach(supervisor, post)
    return Staff(backend, crew, supervisor, post, changed, losses, learned)


def backend_of(choice: Choice, env: Mapping[str, str], team_root: Path, mask: Mask) -> Backend:
    """The backend of a choice, for the team whose files are in `team_root`."""
    if choice.name == "tmux":
        from roocode.engine.team.backends.tmux import TmuxBackend, session_name
        from roocode.engine.team.backends.tmux_server import find_tmux

        return TmuxBackend(env, session_name(team_root), find_tmux(env, team_root))
    return InProcessBackend(partial(_live_inside, mask))


async def _live_inside(mask: Mask, path: Path) -> int:
    """A member as a task: it has no pane to show anything in."""
    handshake = handshakes.take(path)
    with _LastWords(Path(handshake.team_dir) / "logs" / f"{handshake.member}.log", mask):
        return await live(handshake, _show_nothing, own_process=False)


class _LastWords:
    """Writes what ended a member into its log, as its own process would on standard error."""

    def __init__(self, log: Path, mask: Mask) -> None:
        self._log = log
        self._mask = mask

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, asyncio.CancelledError):
            return
        known = isinstance(error, RooCodeError)
        words = f"error: {error}\n" if known else "".join(traceback.format_exception(error))
        with self._log.open("a", encoding="utf-8") as log:
            log.write(self._mask(words))


def _show_nothing(event: Event) -> None:
    del event


def _terms(ground: Ground, runtime: Path, learned: list[RuleLine]) -> Terms:
    settings = ground.settings
    definitions = Definitions(
        settings.places, ground.wants.run.agents, verifying=settings.enable_verification_agent
    )
    options = terms.member_options(
        ground.settings,
        ground.options,
        ground.env,
        ground.name,
        ground.check.command,
        ask="deny" if ground.wants.headless else "mail",
        appended=ground.wants.run.append_system_prompt,
        definitions=definitions,
        backend=ground.choice.name,
        learned=learned,
    )
    return Terms(
        team=ground.name,
        argv=terms.teammate_argv(),
        process_env=terms.process_env(ground.env),
        agent_env={name: text for name, text in ground.env.items() if name not in ("TMUX", "TMUX_PANE")},
        options=options,
        runtime=runtime,
        backend=ground.choice.name,
        max_members=ground.settings.team.max_teammates,
        agent_types=terms.agent_types(definitions),
        lead_model=ground.wants.teammate_model or ground.model_name,
    )
