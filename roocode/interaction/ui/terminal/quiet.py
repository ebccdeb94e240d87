"""Keeps keys that were typed before a question was seen from answering it: pure."""

from __future__ import annotations

from dataclasses import dataclass

QUIET_S = 0.5


@dataclass(slots=True)
class Quiet:
    """A question answers to keys once it has stood on the screen for QUIET_S seconds without one.

    `until` is None until it is on the screen.
    """

    until: float | None = None

    def begin(self) -> None:
        """Another question comes up; it is not painted yet."""
        self.until = None

    def painted(self, now: float) -> None:
        """What was to be shown is on the screen."""
        if self.until is None:
            self.until = now + QUIET_S

    def pressed(self, now: float) -> None:
        """A key: one in the quiet time makes it begin again."""
        if self.until is not None and now < self.until:
            self.until = now + QUIET_S

    def is_over(self, now: float) -> bool:
        """Whether keys count."""
        return self.until is not None and now >= self.until
