"""A run that nobody steers, shown to a person who watches: the lead's words and what the team does."""

from __future__ import annotations

import sys
from typing import Any

from roocode.app.masked_screen import MaskedEvents
from roocode.app.output import Output
from roocode.interaction.ui.pane import Pane
from roocode.protocol.events import Event
from roocode.security.isolation.pieces import StreamMask


class Watch(Output):
    """Text output with the lead's transcript and the team's events on standard error."""

    def __init__(self, agent: str, mask: StreamMask) -> None:
        super().__init__("text", agent=agent, verbose=False, mask=mask)
        self._watched = MaskedEvents(mask, Pane(agent, sys.__stderr__).show)

    def show(self, event: Event) -> None:
        """Shows it, and gathers the result."""
        self._watched(event)
        self.gather(event)

    def finish(self, error: str = "", exit_code: int = 0, team: dict[str, Any] | None = None) -> None:
        """Says how the run ended; the lead's last words stand there already."""
        if team is not None:
            self.note(f"The team's run is {team['status']}: merged {', '.join(team['merged']) or 'nothing'}.")
        if error:
            self.note(f"error: {error}", "warning")
