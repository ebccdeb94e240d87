"""Tells the model of syntax errors as its edits bring them in, leave them and mend them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class SyntaxWatch:
    """Files of which an error was told in this session; another's old errors are never mentioned."""

    _broken: set[Path] = field(default_factory=set)

    def told(self, path: Path, before: str | None, after: str) -> str:
        """What to say after an edit, "" for nothing; `before` is None for a new file. May take a second."""
        from roocode.tools.syntax.news import brought_in, sentence

        if (found := brought_in(str(path), before, after)) is not None:
            self._broken.add(path)
            sure = "brings in" if not found.doubt else "may bring in"
            tells = f"\n`{found.doubt}` tells for sure." if found.doubt else ""
            return f"This edit {sure} a syntax error at {sentence(found, after)}{tells}"
        if path not in self._broken:
            return ""
        if (left := brought_in(str(path), None, after)) is not None:
            return f"There is still a syntax error at {sentence(left, after)}"
        self._broken.discard(path)
        return "The syntax error is gone."
