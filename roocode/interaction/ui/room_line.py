"""One line on a conversation that became shorter."""

from __future__ import annotations

from roocode.protocol.events import RoomMade

_DONE = {
    "cleared": "old results were cleared",
    "summary": "old turns were replaced by a summary",
    "dropped": "the oldest turns were left out",
}


def room_line(event: RoomMade) -> str:
    """What was done and what it brought."""
    why = f" ({event.fault})" if event.fault else ""
    sizes = f"{event.before:,} → {event.after:,} of {event.window:,} tokens"
    return f"{_DONE[event.kind]}{why}: {sizes}"
