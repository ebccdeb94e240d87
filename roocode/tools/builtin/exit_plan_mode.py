"""ExitPlanMode: the plan, for the person's approval."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Planner, Services
from roocode.tools.typed_tool import Action, make_tool


@frozen
class ExitPlanModeInput(Input):
    """What ExitPlanMode takes."""

    plan: Annotated[str, Limit(min_length=1)]
    """The whole plan, as the person is to read it."""


class ExitPlanMode(Action[ExitPlanModeInput]):
    """Shows the plan and waits for a yes."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    def touches(self, given: ExitPlanModeInput) -> Touches:
        """Nothing: the person decides on the plan itself."""
        return Touches()

    async def run(self, given: ExitPlanModeInput) -> ToolOutcome:
        """Gives the person's decision; a refusal is no error of the model's."""
        said = await self._planner.propose(given.plan)
        return ToolOutcome(said, shown=given.plan)


def build(services: Services) -> Tool | None:
    """ExitPlanMode, where plans are made."""
    return (
        make_tool(__name__, ExitPlanModeInput, ExitPlanMode(services.planner)) if services.planner else None
    )
