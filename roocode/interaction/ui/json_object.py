"""json: one object on standard output at the end; what a person should know goes to standard error."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from roocode.interaction.ui.json_text import one_line
from roocode.interaction.ui.plain import Plain


class JsonObject(Plain):
    """Plain on standard error, the result object on standard output."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        agent: str = "main",
        verbose: bool = False,
    ) -> None:
        super().__init__(out, err, agent=agent, verbose=verbose)
        self._object_out = out or sys.stdout

    def answered(self, exit_code: int) -> None:
        """Nothing: the object of the last run is the one."""

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Writes the object, the result of the run or a team's, and nothing after it."""
        value = self.result.as_json(error, exit_code) if team is None else team
        self._object_out.write(one_line(value) + "\n")
        self._object_out.flush()
        if error:
            self._tell(f"error: {error}")
