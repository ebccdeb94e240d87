"""Agents that this process itself needs, in front and to their end: for skills, and for hooks that judge."""

from __future__ import annotations

from typing import get_args

from roocode.app.subagents.family import Family
from roocode.engine import prompts as texts
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.fields import INHERIT
from roocode.engine.subagents.outcome import Outcome
from roocode.interaction.skills.load import Errand
from roocode.protocol.errors import HostError
from roocode.protocol.models import Effort

LOOKS = ("ReadFile", "Glob", "Grep")
"""What an agent that judges may call."""


class Errands:
    """Implements the skills' ForkRunner and the hooks' Spawner by sub-agents of one parent."""

    def __init__(self, family: Family) -> None:
        self._family = family

    async def run(self, errand: Errand) -> str:
        """What a skill came to. Raises RooCodeError."""
        own = tuple(tool.spec.name for tool in errand.tools)
        definition = AgentDefinition(
            errand.skill,
            f"the skill {errand.skill}",
            texts.text("errand"),
            tools=None if errand.allowed is None else (*errand.allowed, *own),
            model=errand.model or INHERIT,
            effort=next((each for each in get_args(Effort) if each == errand.effort), None),
        )
        return _words(await self._family.run(definition, errand.prompt, tools=errand.tools))

    async def spawn(self, prompt: str, *, model: str) -> str:
        """What an agent says that may look at files. No hook judges it in turn. Raises RooCodeError."""
        definition = AgentDefinition(
            "judge", "a hook's question", texts.text("judge"), tools=LOOKS, model=model or INHERIT
        )
        return _words(await self._family.run(definition, prompt, unhooked=True))


def _words(outcome: Outcome) -> str:
    if outcome.is_failure:
        raise HostError(f"its agent {outcome.status}: {outcome.reason or 'no reason is known'}")
    return outcome.text
