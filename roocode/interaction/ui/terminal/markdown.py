"""Markdown as ANSI text, and where a stream of it can be cut."""

from __future__ import annotations

import io

FENCES = ("```", "~~~")


def render(text: str, width: int) -> str:
    """The Markdown as lines with ANSI styles, at most `width` columns wide."""
    from rich.console import Console
    from rich.markdown import Markdown

    out = io.StringIO()
    console = Console(
        file=out, force_terminal=True, color_system="256", width=max(width, 20), legacy_windows=False
    )
    console.print(Markdown(text))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def split_finished(text: str) -> tuple[str, str]:
    """Splits streamed Markdown into whole blocks and the rest that may still change.

    A block ends at a blank line outside a code fence, or behind a closed fence.
    """
    cut, fence = 0, ""
    position = 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        if not line.endswith("\n"):
            break
        stripped = line.strip()
        if fence:
            if stripped.startswith(fence):
                fence, cut = "", position
        elif stripped.startswith(FENCES):
            fence = stripped[:3]
        elif not stripped:
            cut = position
    return text[:cut], text[cut:]
