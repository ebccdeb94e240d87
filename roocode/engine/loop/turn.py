"""The loop: add the prompt; ask the model; if it called no tool, stop; run the tools; add the results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.ask_model import ask_model
from roocode.engine.loop.lifecycle import Halted
from roocode.engine.loop.limits import Limit, Tally, lost, reached
from roocode.engine.loop.run_tools import run_tools
from roocode.protocol.errors import ProviderError, ProviderRefused
from roocode.protocol.events import CallFinished, PromptAdded, RunEnd, RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, StopReason, Text, reminder
from roocode.protocol.tools import ToolOutcome

INCOMPLETE: Mapping[StopReason, str] = {
    "max_tokens": "the answer is cut off: it reached the model's output limit",
    "window": "the answer is cut off: the conversation fills the model's window",
    "refusal": "the model refused to answer",
}
BROKEN = "No result: the run broke off before this call finished. It may have had an effect."
CANCELLED = "Cancelled before it finished. It may have had an effect."
HAND_OVER = (
    "{limit}, so this is your last message in this run: no tool can be called any more. "
    "Hand over: say what is done, what is left, and what you would do next."
)


@frozen
class Stop:
    """Why the loop stopped, with the last text of the model."""

    end: RunEnd
    text: str = ""
    reason: str = ""
    exit_code: int = 0


async def run(agent: Agent, prompt: Message | None) -> RunEnded:
    """Runs until the model calls no tool, a limit is reached, or something cannot go on.

    `prompt` is None where the conversation already ends with what is to be answered. The end is emitted and
    returned. A cancel leaves a whole conversation, emits its end, and is raised again.
    """
    tally = Tally()
    _close_calls(agent, BROKEN)
    try:
        prompt = await agent.life.begins(prompt)
        if prompt is not None:
            agent.conversation.add_prompt(prompt)
            agent.emit(PromptAdded(agent=agent.id, parent=agent.parent, message=prompt))
        stop = await _loop(agent, tally)
    except asyncio.CancelledError:
        _close_calls(agent, CANCELLED)
        _end(agent, tally, Stop("cancelled", reason="cancelled", exit_code=130))
        raise
    except Halted as halt:
        stop = Stop(halt.end, reason=halt.what, exit_code=halt.exit_code)
    except ProviderError as error:
        end: RunEnd = "refused" if isinstance(error, ProviderRefused) else "failed"
        stop = Stop(end, reason=str(error), exit_code=error.exit_code)
    return _end(agent, tally, stop)


async def _loop(agent: Agent, tally: Tally) -> Stop:
    text = ""
    while True:
        for step in agent.before_request:
            if await step(tally):
                tally.turns_since_input = 0
        if limit := await _reached(agent, tally):
            return await _hand_over(agent, tally, limit)
        reply = await ask_model(agent, tally)
        text = reply.message.text or text
        if not reply.message.calls:
            if trouble := INCOMPLETE.get(reply.stop):
                return Stop("done", text, trouble, 1)
            if await _goes_on(agent, tally):
                continue
            if (more := await agent.life.ends(text)) is None:
                return Stop("done", text)
            agent.conversation.add_prompt(more)
            continue
        await run_tools(agent, reply.message.calls, tally)
        if confusion := lost(tally):
            return Stop("failed", text, confusion, 1)


async def _reached(agent: Agent, tally: Tally) -> Limit | None:
    """Its own limits, then one that others use up too."""
    own = reached(agent.limits, tally)
    return own if own or agent.bound is None else await agent.bound.reached()


async def _goes_on(agent: Agent, tally: Tally) -> bool:
    """Whether there is more to do than the model knew."""
    brought = [await step(tally) for step in agent.before_end]
    return any(brought)


async def _hand_over(agent: Agent, tally: Tally, limit: Limit) -> Stop:
    words = HAND_OVER.format(limit=limit.words[0].upper() + limit.words[1:])
    agent.conversation.add_prompt(Message("user", (reminder(words),)))
    reply = await ask_model(agent, tally, tool_choice="none")
    _close_calls(agent, f"Not run: {limit.words}.")
    return Stop(limit.end, reply.message.text, limit.words, 53)


def _close_calls(agent: Agent, why: str) -> None:
    """No call stays without a result, for the model and for whoever watches."""
    for call in agent.conversation.close_open_calls(why):
        outcome = ToolOutcome(why, is_error=True)
        agent.emit(CallFinished(agent=agent.id, parent=agent.parent, call=call, outcome=outcome))


def _end(agent: Agent, tally: Tally, stop: Stop) -> RunEnded:
    ended = RunEnded(
        agent=agent.id,
        parent=agent.parent,
        end=stop.end,
        text=stop.text,
        turns=tally.turns,
        usage=tally.usage,
        cost_usd=tally.cost_usd,
        duration_ms=round((time.monotonic() - tally.started) * 1000),
        api_ms=round(tally.api_s * 1000),
        reason=stop.reason,
        exit_code=stop.exit_code,
    )
    agent.emit(ended)
    return ended


def prompt_of(text: str, *reminders: str) -> Message:
    """A prompt: the reminders of the moment first, then the person's words."""
    return Message("user", (*(reminder(note) for note in reminders if note), Text(text)))
