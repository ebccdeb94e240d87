"""What `/compact` and `/context` do for an agent."""

from __future__ import annotations

from collections.abc import Callable

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.limits import Tally
from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import Event, Notice


async def compact_now(agent: Agent, focus: str, show: Callable[[Event], None]) -> None:
    """Makes a summary of the conversation; where that fails it stays as it was, and the reason is shown."""
    try:
        made = agent.room is not None and await agent.room.compact(Tally(), focus)
    except RooCodeError as error:
        show(Notice(agent=agent.id, text=str(error), level="error"))
        return
    if not made:
        show(Notice(agent=agent.id, text="there is nothing to summarise: the conversation is short"))


def context_text(agent: Agent) -> str:
    """How full the window is, with what, and how much is left."""
    if agent.room is None:
        return "nothing is known of the model's window"
    filling = agent.room.filling()
    rows = {
        "system prompt and tools": filling.frame,
        "messages": filling.messages,
        "free": max(filling.window - filling.used, 0),
    }
    share = round(100 * filling.used / filling.window)
    head = f"{agent.brain.info.name}: {filling.used:,} of {filling.window:,} tokens ({share} %)"
    return "\n".join([head, *(f"  {name:<24}{tokens:>10,}" for name, tokens in rows.items())])
