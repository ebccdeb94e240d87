"""Makes of a skill and its arguments the text that a model reads."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Protocol

from roocode.interaction.skills.definition import Skill
from roocode.interaction.skills.substitute import Given, Literal, ShellCommand, filled
from roocode.protocol.messages import ToolCall
from roocode.protocol.tools import ToolOutcome

MOST_COMMANDS = 20
LONGEST_OUTPUT = 16_000
"""Characters that stay of what one command prints."""

_numbers = itertools.count(1)


class Caller(Protocol):
    """Guarded tools."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Runs a call if it may run; all else is a result that says so."""
        ...


async def rendered(
    skill: Skill, arguments: str, caller: Caller, places: Mapping[str, str], longest: int
) -> str:
    """The text, with its commands run as Bash calls of the agent, at most `longest` characters of it."""
    here = {**places, **_own_places(skill)}
    parts = filled(skill.body, Given(arguments, skill.arguments, here, skill.counts_from_one))
    texts: list[str] = []
    runs = 0
    for part in parts:
        match part:
            case Literal(text):
                texts.append(text)
            case ShellCommand(command):
                runs += 1
                texts.append(await _printed(command, caller, runs))
    return _shortened("".join(texts).strip("\n"), skill, longest)


async def _printed(command: str, caller: Caller, number: int) -> str:
    if number > MOST_COMMANDS:
        return f"[`{command}` was not run: a skill may run {MOST_COMMANDS} commands at most]"
    call = ToolCall(f"skill-command-{next(_numbers)}", "Bash", {"command": command})
    outcome = await caller.run(call)
    text = outcome.content.strip("\n")
    if len(text) > LONGEST_OUTPUT:
        text = f"{text[:LONGEST_OUTPUT]}\n[… {len(text) - LONGEST_OUTPUT:,} more characters]"
    return f"[`{command}` failed: {text}]" if outcome.is_error else text


def _own_places(skill: Skill) -> Mapping[str, str]:
    folder = str(skill.folder or skill.path.parent)
    found = {"CLAUDE_SKILL_DIR": folder, "ROOCODE_SKILL_DIR": folder}
    if skill.plugin_root is not None:
        root = str(skill.plugin_root)
        found |= {"CLAUDE_PLUGIN_ROOT": root, "ROOCODE_PLUGIN_ROOT": root}
    return found


def _shortened(text: str, skill: Skill, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = text.rfind("\n", longest // 2, longest)
    kept = text[: end if end > 0 else longest]
    return f"{kept}\n\n[cut here, {len(text) - len(kept):,} characters are left: ReadFile {skill.path}]"
