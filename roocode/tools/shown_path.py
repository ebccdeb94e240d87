"""How paths are shown to the model."""

from __future__ import annotations

from pathlib import Path

from roocode.tools.clip import printable


def shown_path(path: Path, root: Path) -> str:
    """Relative to the agent's directory where it lies below it; what is no text as U+FFFD."""
    return printable(str(path.relative_to(root) if path.is_relative_to(root) else path))
