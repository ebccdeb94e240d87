"""json: one object on standard output at the end; what a person should know goes to standard error."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from roocode.interaction.ui.plain import Plain


class JsonObject(Plain):
    """Plain on standard error, the result object on standard output."""

    def __init__(self, out: TextIO | None = None, *, agent: str = "main", verbose: bool = False) -> None:
        super().__init__(agent=agent, verbose=verbose)
        self._object_out = out or sys.stdout

    def finish(self, error: str = "", exit_code: int = 0, answer: str | None = None, **extra: Any) -> None:
        """Writes the object: the result of the run, with `extra` over it."""
        self.write(self.result.as_json(error, exit_code) | extra)

    def write(self, value: dict[str, Any]) -> None:
        """Writes one object and nothing after it."""
        self._object_out.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._object_out.flush()
