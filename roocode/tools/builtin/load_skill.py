"""LoadSkill: the instructions of a skill."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services, SkillCatalog
from roocode.tools.typed_tool import Action, make_tool


@frozen
class LoadSkillInput(Input):
    """What LoadSkill takes."""

    name: Annotated[str, Limit(min_length=1)]
    """The skill, as it is listed."""
    arguments: str = ""
    """What follows the name where a person writes `/name arguments`."""


class LoadSkill(Action[LoadSkillInput]):
    """Loads skills."""

    def __init__(self, skills: SkillCatalog) -> None:
        self._skills = skills

    def touches(self, given: LoadSkillInput) -> Touches:
        """Nothing: what a skill runs is judged call by call."""
        return Touches()

    async def run(self, given: LoadSkillInput) -> ToolOutcome:
        """Gives the instructions, or the result of a skill that runs on its own."""
        return ToolOutcome(await self._skills.load(given.name, given.arguments))


def build(services: Services) -> Tool | None:
    """LoadSkill, where there are skills."""
    return make_tool(__name__, LoadSkillInput, LoadSkill(services.skills)) if services.skills else None
