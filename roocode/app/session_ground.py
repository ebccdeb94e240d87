"""What the session of a single agent stands on: settings, options, its conversation, new or old."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from roocode.app import assemble, prompts, sessions
from roocode.app.git_state import head, moved
from roocode.app.mcp.found import servers_for_run
from roocode.app.model_notes import model_notes
from roocode.app.options import AgentOptions, options_from
from roocode.app.policy import rule_notes
from roocode.app.written_secrets import learn_written
from roocode.interaction.cli.requests import RunOptions, SessionChoice
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.providers import resolve_fallbacks, resolve_model
from roocode.interaction.config.settings import Settings
from roocode.memory.instructions.stack import stack
from roocode.memory.sessions.conversation import Conversation
from roocode.memory.sessions.log import Header
from roocode.memory.sessions.replay import Replayed
from roocode.protocol.frozen import frozen
from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets


@frozen
class SessionGround:
    """`notes` are what the person should know of it, `past` is what an earlier life of the session left."""

    settings: Settings
    options: AgentOptions
    root: Path
    conversation: Conversation
    notes: tuple[str, ...]
    past: Replayed | None

    @property
    def resumed(self) -> bool:
        """Whether the session goes on from an earlier one."""
        return self.past is not None


def ground_of(
    options: RunOptions, choice: SessionChoice, env: Mapping[str, str], secrets: Secrets
) -> SessionGround:
    """Settles all that must be known beforehand; `secrets` learns the session's keys. Raises UserError."""
    settings = load_settings(options.cwd, env, options.flags)
    before = sessions.chosen(settings.places, choice)
    model = resolve_model(settings, None if settings.model or before is None else before.header.model, env)
    agent_options = options_from(
        settings,
        model,
        resolve_fallbacks(settings, env),
        max_tokens=None,
        max_cost_usd=None,
    )
    secrets.learn(env, agent_options.secret_names)
    learn_written(secrets, [line.data for line in agent_options.hooks])
    mcp, mcp_notes = servers_for_run(settings, options, env, secrets)
    root = options.cwd.resolve()
    conversation, past, notes = _conversation(settings, before, choice, root, agent_options, options, secrets)
    told = (
        *settings.notes,
        *rule_notes(settings),
        *model_notes(agent_options),
        *stack(root, settings.places.home).notes,
        *mcp_notes,
        *notes,
    )
    agent_options = replace(agent_options, system=conversation.header.system, mcp=mcp)
    return SessionGround(settings, agent_options, root, conversation, told, past)


def _conversation(
    settings: Settings,
    before: sessions.Saved | None,
    choice: SessionChoice,
    root: Path,
    options: AgentOptions,
    asked: RunOptions,
    mask: Mask,
) -> tuple[Conversation, Replayed | None, tuple[str, ...]]:
    git = head(root)
    if before is not None:
        conversation, past = sessions.resume(settings.places, before, mask, fork=choice.fork, git=git)
        notes = (
            "" if past.header.cwd == str(root) else f"this session was begun in {past.header.cwd}",
            moved(past.git, git),
            f"{past.skipped} damaged lines of the session were left out" if past.skipped else "",
        )
        return conversation, past, tuple(filter(None, notes))
    identifier = uuid.uuid4().hex
    header = Header(
        id=identifier,
        cwd=str(root),
        model=_full_name(options),
        mode=options.mode,
        system=prompts.single(root, asked.append_system_prompt),
        name=choice.name,
        git=git,
    )
    return Conversation.create(sessions.new_path(settings.places, identifier), header, mask), None, ()


def _full_name(options: AgentOptions) -> str:
    return f"{options.model.provider}/{assemble.model_of(options.model).name}"
