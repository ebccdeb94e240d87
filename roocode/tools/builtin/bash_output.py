"""BashOutput: what a background shell has written since the last look."""

from __future__ import annotations

from typing import Annotated

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.background import job_of
from roocode.tools.excerpt import excerpt, whole_characters
from roocode.tools.schema import Input, Limit
from roocode.tools.services import Services, Shell
from roocode.tools.typed_tool import Action, make_tool


@frozen
class BashOutputInput(Input):
    """What BashOutput takes."""

    id: Annotated[str, Limit(min_length=1)]
    """The shell's id, such as b1."""


class BashOutput(Action[BashOutputInput]):
    """Shows new output and state of background shells."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._shown: dict[str, int] = {}

    def touches(self, given: BashOutputInput) -> Touches:
        """Nothing."""
        return Touches()

    async def run(self, given: BashOutputInput) -> ToolOutcome:
        """Shows what is new."""
        job = job_of(self._shell, given.id)
        ended, size = job.ended, job.size
        start = self._shown.get(job.id, 0)
        end = size if ended is not None else whole_characters(job.output, size)
        text = excerpt(job.output, start, end).text if end > start else "(no new output)"
        self._shown[job.id] = max(start, end)
        state = "running" if ended is None else f"ended: {ended.why}, exit code {ended.code}"
        return ToolOutcome(f"{text}\n[{job.id} {state}]")


def build(services: Services) -> Tool | None:
    """BashOutput, where there is a shell."""
    return make_tool(__name__, BashOutputInput, BashOutput(services.shell)) if services.shell else None
