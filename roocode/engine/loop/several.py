"""Several steps as one."""

from __future__ import annotations

from roocode.engine.loop.agent import Step
from roocode.engine.loop.limits import Tally


class Several:
    """Takes them in order."""

    def __init__(self, *steps: Step) -> None:
        self._steps = steps

    async def __call__(self, tally: Tally) -> bool:
        """True where one of them brought outside input."""
        return any([await step(tally) for step in self._steps])
