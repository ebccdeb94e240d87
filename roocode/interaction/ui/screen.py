"""What every screen is."""

from __future__ import annotations

from typing import Protocol

from roocode.protocol.events import Event


class Screen(Protocol):
    """Shows events as they come. `show` never blocks for long and never raises for an event."""

    def show(self, event: Event) -> None:
        """Takes in one event."""
        ...

    def close(self) -> None:
        """Writes what is still to be written."""
        ...
