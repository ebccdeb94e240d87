"""Markdown as ANSI text, and where a stream of it can be cut."""

from __future__ import annotations

from collections.abc import Iterator

from roocode.interaction.ui.safe_text import prose
from roocode.protocol.frozen import frozen

FENCES = "`~"
SHORTEST_FENCE = 3


def render(text: str, width: int) -> str:
    """The Markdown as lines with ANSI styles, at most `width` columns wide."""
    from roocode.interaction.ui.terminal.rich_markdown import ansi

    return ansi(prose(text), width)


def warm_up() -> None:
    """Loads what `render` needs, which takes a moment."""
    render("", 0)


def split_finished(text: str) -> tuple[str, str]:
    """Splits streamed Markdown into whole blocks and the rest that may still change.

    A block ends behind a closed code fence, or at a blank line outside of one once a line follows that does
    not go on with the block: an indented one does.
    """
    finished = end_of_blank = 0
    fence = ""
    for line in _lines(text):
        if end_of_blank and not line.is_blank:
            if not line.is_indented:
                finished = end_of_blank
            end_of_blank = 0
        if not line.is_whole:
            break
        if fence:
            if line.closes(fence):
                fence, finished = "", finished if line.is_indented else line.end
        elif line.fence:
            fence = line.fence
        elif line.is_blank:
            end_of_blank = line.end
    return text[:finished], text[finished:]


@frozen
class _Line:
    text: str
    end: int

    @property
    def is_whole(self) -> bool:
        return self.text.endswith("\n")

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def is_indented(self) -> bool:
        return self.text[:1] in (" ", "\t")

    @property
    def fence(self) -> str:
        """The run of fence characters that opens a block of code here; empty where none does."""
        stripped = self.text.strip()
        run = stripped[: len(stripped) - len(stripped.lstrip(stripped[:1]))]
        if run[:1] not in FENCES or len(run) < SHORTEST_FENCE:
            return ""
        return "" if run[0] == "`" and "`" in stripped[len(run) :] else run

    def closes(self, fence: str) -> bool:
        stripped = self.text.strip()
        return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline + 1
        yield _Line(text[start:end], end)
        start = end
