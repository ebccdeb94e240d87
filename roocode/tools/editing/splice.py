"""Replaces parts of a text whose line endings may be of both kinds, changing no byte beside them. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from roocode.protocol.frozen import frozen


@frozen
class Span:
    """A part of the flat text to be replaced: `start` to before `end`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Flat:
    """A text seen with LF endings only; `original` keeps its own."""

    original: str

    @cached_property
    def text(self) -> str:
        """The text with each CRLF as LF."""
        return self.original.replace("\r\n", "\n")

    @cached_property
    def _crlf(self) -> tuple[int, ...]:
        """Where in the flat text a newline was CRLF."""
        if "\r\n" not in self.original:
            return ()
        lengths = accumulate(len(line) + 1 for line in self.original.split("\r\n")[:-1])
        return tuple(end - 1 for end in lengths)

    @property
    def has_crlf(self) -> bool:
        """Whether any line ends with CRLF."""
        return bool(self._crlf)

    def line(self, position: int) -> int:
        """The line of a position in the flat text, counted from 1."""
        return self.text.count("\n", 0, position) + 1

    def replaced(self, spans: Sequence[Span]) -> str:
        """The original with these spans replaced; they are in order and do not overlap."""
        pieces: list[str] = []
        done = 0
        for span in map(self._narrowed, spans):
            pieces.append(self.original[done : self._original(span.start)])
            pieces.append(self._with_endings(span))
            done = self._original(span.end)
        return "".join(pieces) + self.original[done:]

    def _narrowed(self, span: Span) -> Span:
        """Without what the old and the new text share at both ends: those bytes stay as they are."""
        old, new = self.text[span.start : span.end], span.new
        room = min(len(old), len(new))
        front = next((i for i in range(room) if old[i] != new[i]), room)
        room -= front
        back = next((i for i in range(room) if old[-1 - i] != new[-1 - i]), room)
        return Span(span.start + front, span.end - back, new[front : len(new) - back])

    def _original(self, position: int) -> int:
        return position + bisect_left(self._crlf, position)

    def _is_crlf(self, position: int) -> bool:
        index = bisect_left(self._crlf, position)
        return index < len(self._crlf) and self._crlf[index] == position

    def _with_endings(self, span: Span) -> str:
        """The new text with the endings of the lines it replaces: one by one, or those that prevail."""
        if not self._crlf or "\n" not in span.new:
            return span.new
        parts = span.new.split("\n")
        old = [i for i in range(span.start, span.end) if self.text[i] == "\n"]
        if len(old) == len(parts) - 1:
            endings = ["\r\n" if self._is_crlf(i) else "\n" for i in old]
        else:
            endings = [self._ending_near(span, old)] * (len(parts) - 1)
        return "".join(part + end for part, end in zip(parts, [*endings, ""], strict=True))

    def _ending_near(self, span: Span, old: Sequence[int]) -> str:
        if not old:
            after = self.text.find("\n", span.end)
            before = self.text.rfind("\n", 0, span.start)
            old = [after if after >= 0 else before]
        return "\r\n" if 2 * sum(map(self._is_crlf, old)) >= len(old) else "\n"
