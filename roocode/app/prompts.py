"""The system prompt of each role: base, environment, role, and what the person appended."""

from __future__ import annotations

import platform
from pathlib import Path

from roocode.engine import prompts
from roocode.interaction.config.data_root import data_root
from roocode.protocol import front_matter


def single(root: Path, appended: str = "") -> str:
    """Of an agent that works alone."""
    return prompts.system_prompt(prompts.text("base"), _environment(root), appended)


def lead(team: str, root: Path, appended: str = "") -> str:
    """Of a lead in Coordinator Mode: it has no code tools, so nothing is said of them."""
    facts = f"# Team\nThe team that you lead is called `{team}`. The repository is {root}."
    return prompts.system_prompt(role("lead"), facts, appended)


def own_hands() -> str:
    """What a lead is told that keeps its code tools."""
    return prompts.text("own_hands")


def teammate(team: str, name: str, root: Path, verify: str, definition: str = "", appended: str = "") -> str:
    """Of a teammate, with the agent definition that it follows besides, if any."""
    check = f" The command that checks the whole is `{verify}`." if verify else ""
    facts = f"# Team\nYou are `{name}` in the team `{team}`.{check}"
    return prompts.system_prompt(
        prompts.text("base"), _environment(root), role("teammate"), facts, definition, appended
    )


def subagent(root: Path, definition: str) -> str:
    """Of a sub-agent that is not a fork: what it is comes last."""
    return prompts.system_prompt(
        prompts.text("base"), _environment(root), prompts.text("subagent"), definition
    )


def role(name: str) -> str:
    """The body of a shipped agent definition."""
    text = (data_root() / "agents" / f"{name}.md").read_text(encoding="utf-8")
    return front_matter.split(text)[1]


def _environment(root: Path) -> str:
    return prompts.environment(str(root), platform.system())
