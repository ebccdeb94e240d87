"""What the lead resolves once for the whole team: backend, check, and each member's options."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import roocode
from roocode.app import prompts
from roocode.app.options import AgentOptions
from roocode.engine.team import verify
from roocode.engine.team.backends.choose import Choice, choose
from roocode.engine.team.integration import Check
from roocode.interaction.config.data_root import data_root
from roocode.interaction.config.providers import resolve_model
from roocode.interaction.config.settings import RuleLine, Settings
from roocode.protocol import front_matter
from roocode.protocol.team import Member, Team
from roocode.security.sandbox.environment import child_env
from roocode.security.sandbox.process import find_program, outermost_checkout

GIVE_OR_TRUST = "Give --verify CMD, or: roocode trust"
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
    learned: Sequence[RuleLine] = (),
) -> Any:
    """A function that gives the options of a member: the lead's rules and mode, and its own worktree.

    `learned` may grow meanwhile.
    """

    def options(member: Member) -> Mapping[str, Any]:
        model = base.model
        if member.model and member.model != _name(base):
            model = resolve_model(settings, member.model, env)
        system = prompts.teammate(
            team,
            member.name,
            Path(member.worktree_path),
            check_command or "",
            definition(member.agent_type),
            appended,
        )
        agent = replace(
            base,
            model=model,
            system=system,
            rules=(*base.rules, *learned, *OWN_RULES),
            extra=(),
            exact_commands=(check_command,) if check_command else (),
            pin_git=not settings.trusted,
        )
        return {"agent": agent.to_json(), "ask": ask, "ask_timeout_s": settings.ask_timeout_s}

    return options


def definition(agent_type: str) -> str:
    """The instructions of an agent definition that a teammate follows besides its own."""
    if agent_type == "teammate":
        return ""
    found = _definitions().get(agent_type)
    return front_matter.split(found.read_text(encoding="utf-8"))[1] if found else ""


def agent_types() -> tuple[str, ...]:
    """The definitions that a teammate can follow."""
    return ("teammate", *sorted(set(_definitions()) - {"teammate", "lead"}))


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


def _definitions() -> dict[str, Path]:
    return {path.stem: path for path in (data_root() / "agents").glob("*.md")}
