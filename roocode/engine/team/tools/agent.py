"""Agent, as the lead has it: adds a teammate to the team and starts it."""

from __future__ import annotations

from typing import Protocol

from roocode.engine.team.tools.schema import SchedulingTool, text
from roocode.protocol.messages import Arguments


class Spawner(Protocol):
    """Adds members to the team."""

    async def spawn(
        self, *, name: str, team_name: str, prompt: str, subagent_type: str | None, model: str | None
    ) -> str:
        """Returns when the member is ready. Raises ModelError or HostError."""
        ...


class Agent(SchedulingTool):
    """Starts a teammate; the lead has no other way to get work done."""

    def __init__(self, spawner: Spawner) -> None:
        fields = {
            "prompt": text(
                "All that the teammate is told: the goal, its part, where, how to check it", least=1
            ),
            "description": text("Its part in three to six words", least=1),
            "name": text("A short name, as in `alice`: a-z, 0-9 and -", least=1),
            "team_name": text("The team that you lead", least=1),
            "subagent_type": text(
                "An agent definition that it follows besides; leave it out for none", least=1
            ),
            "model": text("Another model than yours, as provider/model-id or an alias", least=1),
        }
        super().__init__("Agent", __file__, fields, ("prompt", "description", "name", "team_name"))
        self._spawner = spawner

    async def act(self, arguments: Arguments) -> str:
        """Says that the teammate is ready."""
        return await self._spawner.spawn(
            name=arguments["name"],
            team_name=arguments["team_name"],
            prompt=arguments["prompt"],
            subagent_type=arguments.get("subagent_type"),
            model=arguments.get("model"),
        )
