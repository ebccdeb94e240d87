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
    """How full the window is, with what, how much is left, and what the estimate and the cache made of it."""
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
    lines = [f"  {name:<24}{tokens:>10,}" for name, tokens in rows.items()]
    breaks = f"breaks of the cached prefix: {agent.conversation.breaks.told}"
    return "\n".join([head, *lines, _estimate(filling.error), breaks])


def _estimate(error: float | None) -> str:
    """How far the estimate was off when the provider last counted the conversation."""
    if error is None:
        return "all of it estimated: the provider has not counted yet"
    share, way = round(100 * abs(error)), "high" if error > 0 else "low"
    return f"counted by the provider up to its last answer, where the estimate was {share} % too {way}"
