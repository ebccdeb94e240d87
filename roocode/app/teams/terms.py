"""What the lead resolves once for the whole team: backend, check, and each member's options."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import roocode
from roocode.app import prompts
from roocode.app.options import AgentOptions
from roocode.app.subagents.found import Definitions, as_option
from roocode.app.subagents.models import Models
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.modes import tighter
from roocode.engine.team import verify
from roocode.engine.team.backends.choose import Choice, choose
from roocode.engine.team.integration import Check
from roocode.interaction.config.providers import resolve_model
from roocode.interaction.config.settings import RuleLine, Settings
from roocode.protocol.errors import HostError, ModelError
from roocode.protocol.team import Member, Team
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.process import find_program, outermost_checkout

GIVE_OR_TRUST = "Give --verify CMD, or: roocode trust"
TEAMMATE = "teammate"
OWN_RULES = tuple(
    RuleLine("allow", text, "session", "the member's own worktree")
    for text in ("EditFile", "WriteFile", "Bash(git add *)", "Bash(git commit *)")
)


def backend_choice(settings: Settings, env: Mapping[str, str], team: Team | None = None) -> Choice:
    """Which backend this team gets, or has."""
    outside = outermost_checkout(settings.places.root)
    return choose(
        settings.team.backend,
        env,
        has_tmux=find_program("tmux", env, outside=outside) is not None,
        has_it2=find_program("it2", env, outside=outside) is not None,
        used={member.backend_type for member in team.members} if team else (),
    )


def check(settings: Settings, integration: Path, env: Mapping[str, str], log: Path) -> Check:
    """The command that proves the whole, or why none may run.

    One that was given or stands in the person's own configuration always runs; what a project says, or what
    its files suggest, only in a trusted directory.
    """
    command, why = None, ""
    if settings.team.verify is not None:
        command = settings.team.verify.text
    elif settings.trusted:
        command = verify.detect(integration)
        why = (
            "" if command else "Nothing was verified, since no test command was found. Give one: --verify CMD"
        )
    else:
        where = (
            f" and so {settings.team.verify_withheld} does not count" if settings.team.verify_withheld else ""
        )
        why = f"Nothing was verified, since this directory is not trusted{where}. {GIVE_OR_TRUST}"
    return Check(command, why, child_env(env, agent="verify"), log)


def member_options(
    settings: Settings,
    base: AgentOptions,
    env: Mapping[str, str],
    team: str,
    check_command: str | None,
    *,
    ask: str,
    appended: str,
    definitions: Definitions,
    backend: str,
    learned: Sequence[RuleLine] = (),
) -> Any:
    """A function that gives the options of a member: the lead's rules and mode, and its own worktree.

    `learned` may grow meanwhile.
    """

    def options(member: Member) -> Mapping[str, Any]:
        followed = definition(definitions, member.agent_type)
        model = Models(base, lambda: settings, env).of_definition(followed.model)
        if member.model and member.model != _name(base):
            model = resolve_model(settings, member.model, env)
        system = prompts.teammate(
            team,
            member.name,
            Path(member.worktree_path),
            check_command or "",
            followed.prompt,
            appended,
        )
        agent = replace(
            base,
            model=model,
            mode=tighter(base.mode, followed.mode),
            max_turns=followed.max_turns or base.max_turns,
            system=system,
            rules=(*base.rules, *learned, *OWN_RULES, *_denied(followed)),
            extra=(),
            exact_commands=(check_command,) if check_command else (),
            pin_git=not settings.trusted,
        )
        return {
            "agent": agent.to_json(),
            "ask": ask,
            "ask_timeout_s": settings.ask_timeout_s,
            "tools": list(followed.tools) if followed.tools is not None else None,
            "subagents": _subagents(settings, definitions, backend),
        }

    return options


def definition(definitions: Definitions, agent_type: str) -> AgentDefinition:
    """The agent definition that a teammate follows besides its own, an empty one for a plain teammate.

    Raises HostError where it counts no longer: without it a teammate could do more than it was started for.
    """
    if agent_type == TEAMMATE:
        return AgentDefinition(agent_type, "", "", custom=False)
    try:
        return definitions.named(agent_type)
    except ModelError as error:
        raise HostError(f"the agent definition that it follows does not count: {error}") from error


def agent_types(definitions: Definitions) -> tuple[str, ...]:
    """The definitions that a teammate can follow."""
    return (TEAMMATE, *(each.name for each in definitions.usable()))


def _denied(followed: AgentDefinition) -> Iterable[RuleLine]:
    source = f"the agent definition {followed.name}"
    return (RuleLine("deny", rule, "session", source) for rule in followed.disallowed)


def _subagents(settings: Settings, definitions: Definitions, backend: str) -> Mapping[str, Any]:
    """What a teammate needs to have sub-agents: one inside the lead's process has none in the background."""
    return {
        "agents": as_option(definitions.usable()),
        "verifying": settings.enable_verification_agent,
        "most": settings.subagents.max_running,
        "patience_s": settings.subagents.auto_background_s,
        "synchronous": backend == "in-process",
    }


def teammate_argv() -> tuple[str, ...]:
    """The command of a teammate's process; `-P` keeps its working directory off the import path."""
    return (sys.executable, "-P", "-m", "roocode", "teammate", "--handshake")


def process_env(env: Mapping[str, str]) -> dict[str, str]:
    """What a teammate's interpreter needs to find this very RooCode; all else comes with the handshake."""
    package = str(Path(roocode.__file__).resolve().parents[1])
    rest = env.get("PYTHONPATH", "")
    return {"PYTHONPATH": f"{package}:{rest}" if rest else package}


def _name(options: AgentOptions) -> str:
    return f"{options.model.provider}/{options.model.model}"
