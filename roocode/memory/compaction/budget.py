"""When room must be made in a model's window. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen

Level: TypeAlias = Literal["free", "warning", "clearing", "summary", "full"]


@frozen
class Thresholds:
    """The shares of the window that are left when something happens.

    A warning to the person; old results are cleared; a summary replaces old turns; and nothing new is taken
    in before there is a summary.
    """

    warning: float = 0.35
    clearing: float = 0.275
    summary: float = 0.20
    full: float = 0.05

    def level(self, used: int, window: int) -> Level:
        """Where a conversation of `used` tokens stands in a window of so many."""
        left = window - used
        if left <= self.full * window:
            return "full"
        if left <= self.summary * window:
            return "summary"
        if left <= self.clearing * window:
            return "clearing"
        return "warning" if left <= self.warning * window else "free"


@frozen
class Window:
    """A model's window: `tokens` in all, of which `answer` are kept free for its answer."""

    tokens: int
    answer: int
    thresholds: Thresholds = Thresholds()

    def level(self, used: int) -> Level:
        """Where a conversation of `used` tokens stands; the answer must fit in any case."""
        if used + self.answer >= self.tokens:
            return "full"
        return self.thresholds.level(used, self.tokens)

    @property
    def room(self) -> int:
        """The tokens that a request may have at most."""
        return max(self.tokens - self.answer, 1)

    @property
    def goal(self) -> int:
        """The tokens that a conversation should have at most once room was made: half of what it may have."""
        return self.room // 2
