"""Text cut to what a line or a list has room for: pure."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """The text in at most `most` characters, with a mark where it goes on."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def in_brief(text: str, most: int) -> str:
    """The same on one line: line ends and runs of blanks are single blanks."""
    return shortened(" ".join(text.split()), most)
