"""KillShell: ends a background shell."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.background import job_of
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services, Shell
from roocode.tools.typed_tool import Action, make_tool


@frozen
class KillShellInput(Input):
    """What KillShell takes."""

    id: Annotated[str, Limit(min_length=1)]
    """The shell's id, such as b1."""


class KillShell(Action[KillShellInput]):
    """Ends background shells with all that they started."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def touches(self, given: KillShellInput) -> Touches:
        """Nothing but the agent's own processes."""
        return Touches()

    async def run(self, given: KillShellInput) -> ToolOutcome:
        """Ends it: TERM, then KILL."""
        job = job_of(self._shell, given.id)
        if job.ended is not None:
            return ToolOutcome(f"{job.id} had ended already, with exit code {job.ended.code}.")
        await job.end()
        return ToolOutcome(f"{job.id} was ended with all that it started.")


def build(services: Services) -> Tool | None:
    """KillShell, where there is a shell."""
    return make_tool(__name__, KillShellInput, KillShell(services.shell)) if services.shell else None
