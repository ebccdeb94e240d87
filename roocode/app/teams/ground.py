"""What is resolved before anything of a team starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from roocode.app import prompts
from roocode.app.assemble import model_of
from roocode.app.mcp.found import servers_for_run
from roocode.app.options import AgentOptions, options_from
from roocode.app.policy import rule_notes
from roocode.app.teams import terms
from roocode.app.written_secrets import learn_written
from roocode.engine.team.backends.choose import Choice
from roocode.engine.team.founding import Founded
from roocode.engine.team.integration import Check
from roocode.engine.team.keyring import Keyring
from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.providers import resolve_fallbacks, resolve_model
from roocode.interaction.config.settings import Settings
from roocode.protocol.frozen import frozen
from roocode.protocol.team import Budget
from roocode.security.isolation.secrets import Secrets


@frozen
class Wants:
    """What a command line asks of a team's run, besides the settings."""

    run: RunOptions
    headless: bool
    merging: bool = True
    teammate_model: str | None = None


@frozen
class Ground:
    """An open team with all that was decided for it. `root` is where a lead that has code tools works."""

    founded: Founded
    settings: Settings
    wants: Wants
    env: Mapping[str, str]
    options: AgentOptions
    choice: Choice
    check: Check
    keys: Keyring
    secrets: Secrets
    budget: Budget
    mcp_notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The team's name."""
        return self.founded.team.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should know before the team starts."""
        return (*self.settings.notes, *rule_notes(self.settings), *self.mcp_notes, *self.founded.notes)

    @property
    def root(self) -> Path:
        """The integration worktree."""
        return self.founded.integrator.git.cwd

    @property
    def coordinating(self) -> bool:
        """Whether the lead only schedules."""
        return self.settings.team.coordinator

    @property
    def model_name(self) -> str:
        """The lead's model, which members inherit."""
        return f"{self.options.model.provider}/{self.options.model.model}"


def prepare(
    founded: Founded, settings: Settings, wants: Wants, env: Mapping[str, str], secrets: Secrets
) -> Ground:
    """Resolves model, rules, backend and check. Raises UserError or HostError."""
    resolved = resolve_model(settings, None, env)
    resolved = replace(resolved, model=model_of(resolved).name)
    options = options_from(
        settings,
        resolved,
        resolve_fallbacks(settings, env),
        max_tokens=None,
        max_cost_usd=None,
    )
    options = replace(options, salt=secrets.salt, max_seconds=None)
    secrets.learn(env, options.secret_names)
    learn_written(secrets, [line.data for line in options.hooks])
    mcp, mcp_notes = servers_for_run(settings, wants.run, env, secrets)
    store = founded.store
    root = founded.integrator.git.cwd
    return Ground(
        founded=founded,
        settings=settings,
        wants=wants,
        env=env,
        options=replace(options, system=_system(founded, settings, wants, root), mcp=mcp),
        choice=terms.backend_choice(settings, env, founded.team),
        check=terms.check(settings, root, env, store.root / "logs" / "verify.log"),
        keys=Keyring(settings.places.home, store.root),
        secrets=secrets,
        budget=_budget(store.budget(), settings, wants.run),
        mcp_notes=mcp_notes,
    )


def _budget(before: Budget, settings: Settings, run: RunOptions) -> Budget:
    """What holds for the whole team: what was given now, else what was given when it ran before."""
    return Budget(
        tokens=before.tokens if run.max_budget_tokens is None else run.max_budget_tokens,
        cost_usd=before.cost_usd if run.max_budget_usd is None else run.max_budget_usd,
        seconds=before.seconds if settings.max_seconds is None else settings.max_seconds,
    )


def _system(founded: Founded, settings: Settings, wants: Wants, root: Path) -> str:
    appended = wants.run.append_system_prompt
    role = prompts.lead(founded.team.name, founded.place.main_root, appended)
    if settings.team.coordinator:
        return role
    return f"{prompts.single(root)}\n\n{role}\n\n{prompts.own_hands()}"
