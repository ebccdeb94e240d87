"""The loop: add the prompt; ask the model; if it called no tool, stop; run the tools; add the results."""

from __future__ import annotations

import asyncio
import time

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.ask_model import ask_model
from roocode.engine.loop.limits import Tally, lost, reached
from roocode.engine.loop.run_tools import run_tools
from roocode.protocol.errors import ProviderError, ProviderRefused
from roocode.protocol.events import PromptAdded, RunEnd, RunEnded
from roocode.protocol.messages import Message, Text, reminder

CANCELLED = "Cancelled by the person before it finished. It may have had an effect."
HAND_OVER = (
    "{limit}, so this is your last message in this run: no tool can be called any more. "
    "Hand over: say what is done, what is left, and what you would do next."
)


async def run(agent: Agent, prompt: Message | None) -> RunEnded:
    """Runs until the model calls no tool, a limit is reached, or something cannot go on.

    `prompt` is None where the conversation already ends with what is to be answered. The end is emitted and
    returned. A cancel leaves a whole conversation, emits its end, and is raised again.
    """
    tally, started = Tally(), time.monotonic()
    if prompt is not None:
        agent.conversation.add_prompt(prompt)
        agent.emit(PromptAdded(agent=agent.id, parent=agent.parent, message=prompt))
    try:
        end, text, reason, code = await _loop(agent, tally)
    except asyncio.CancelledError:
        agent.conversation.close_open_calls(CANCELLED)
        _end(agent, tally, started, "cancelled", "", "cancelled", 130)
        raise
    except ProviderError as error:
        refused: RunEnd = "refused" if isinstance(error, ProviderRefused) else "failed"
        return _end(agent, tally, started, refused, "", str(error), error.exit_code)
    return _end(agent, tally, started, end, text, reason, code)


async def _loop(agent: Agent, tally: Tally) -> tuple[RunEnd, str, str, int]:
    text = ""
    while True:
        for step in agent.before_request:
            if await step():
                tally.turns_since_input = 0
        if limit := reached(agent.limits, tally):
            return await _hand_over(agent, tally, limit)
        reply = await ask_model(agent, tally)
        text = reply.message.text or text
        if not reply.message.calls:
            return "done", text, "", 0
        await run_tools(agent, reply.message.calls, tally)
        if confusion := lost(tally):
            return "failed", text, confusion, 1


async def _hand_over(agent: Agent, tally: Tally, limit: str) -> tuple[RunEnd, str, str, int]:
    words = HAND_OVER.format(limit=limit[0].upper() + limit[1:])
    agent.conversation.add_prompt(Message("user", (reminder(words),)))
    reply = await ask_model(agent, tally, tool_choice="none")
    for call in reply.message.calls:
        agent.conversation.close_open_calls(f"Not run: {limit}.")
        del call
        break
    end: RunEnd = "turn_limit" if "turns" in limit else "budget"
    return end, reply.message.text, limit, 53


def _end(
    agent: Agent, tally: Tally, started: float, end: RunEnd, text: str, reason: str, code: int
) -> RunEnded:
    ended = RunEnded(
        agent=agent.id,
        parent=agent.parent,
        end=end,
        text=text,
        turns=tally.turns,
        usage=tally.usage,
        cost_usd=tally.cost_usd,
        duration_ms=round((time.monotonic() - started) * 1000),
        api_ms=round(tally.api_s * 1000),
        reason=reason,
        exit_code=code,
    )
    agent.emit(ended)
    return ended


def prompt_of(text: str, *reminders: str) -> Message:
    """A prompt: the reminders of the moment first, then the person's words."""
    return Message("user", (*(reminder(note) for note in reminders if note), Text(text)))
