"""Plan mode: the plan's file, its approval, and the mode that follows."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from roocode.protocol.decisions import Mode
from roocode.protocol.errors import HostError
from roocode.security.guard import GuardedToolset
from roocode.security.permissions.policy import Policy
from roocode.tools.services import Asker, Option, Question

GO: Final = "Go on"
GO_EDITING: Final = "Go on, edits unasked"
PLAN_ON: Final = "Keep planning"
_OPTIONS = (
    Option(GO, "with the mode that was set before"),
    Option(GO_EDITING, "edits inside the project need no question"),
    Option(PLAN_ON, "or write what should be different"),
)


class Planning:
    """Implements the tools' Planner for one session.

    `file` is where the plan is kept: the one file that may be written in plan mode. `toolset` is set once it
    is there, and `told` hears of each new mode.
    """

    def __init__(self, file: Path, asker: Asker | None) -> None:
        self.file = file
        self.toolset: GuardedToolset | None = None
        self.told: Callable[[Mode], None] = lambda mode: None
        self._asker = asker
        self._before: Mode = "default"

    def policy(self) -> Policy:
        """What holds at the moment."""
        assert self.toolset is not None
        return self.toolset.policy

    def make_place(self) -> None:
        """Makes the directory that plans are kept in. Raises HostError."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise HostError(
                f"cannot make {self.file.parent}: {error.strerror}", "set ROOCODE_HOME"
            ) from error

    def set_mode(self, mode: Mode) -> None:
        """Another mode from now on; what was before plan mode is kept for its end."""
        assert self.toolset is not None
        now = self.toolset.policy.mode
        if mode == "plan" and now != "plan":
            self._before = now
            self.make_place()
        self.toolset.policy = replace(self.toolset.policy, mode=mode)
        self.told(mode)

    async def propose(self, plan: str) -> str:
        """Shows the plan to the person; a yes ends plan mode. Raises HostError where it cannot be kept."""
        assert self.toolset is not None
        if self.toolset.policy.mode != "plan":
            return "This is not plan mode: nothing has to be approved. Go on with the work."
        self._keep(plan)
        if self._asker is None:
            return (
                f"Nobody can approve the plan in this run; it is kept in {self.file}. "
                "Change nothing: end with the plan as your answer."
            )
        question = Question(f"{plan.strip()}\n\nIs this the plan?", _OPTIONS, "Plan")
        answers = await self._asker.ask((question,))
        return self._decided(answers[0] if answers else PLAN_ON)

    def _decided(self, answer: str) -> str:
        if answer in (GO, GO_EDITING):
            self.set_mode("acceptEdits" if answer == GO_EDITING else self._before)
            return (
                f"The person approved the plan; plan mode is over. It is kept in {self.file}. Carry it out."
            )
        wish = "" if answer == PLAN_ON else f" They say: {answer}"
        return f"The person did not approve the plan: plan mode goes on.{wish}"

    def _keep(self, plan: str) -> None:
        self.make_place()
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with os.fdopen(os.open(self.file, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
                file.write(plan.strip() + "\n")
        except OSError as error:
            raise HostError(f"cannot keep the plan in {self.file}: {error.strerror}") from error
