"""One request to the model: its stream becomes events for the screen and one whole reply."""

from __future__ import annotations

import asyncio
import time
from typing import Literal

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.limits import Tally
from roocode.engine.models.assemble import ReplyBuilder
from roocode.protocol.errors import WindowExceeded
from roocode.protocol.events import AnswerDelta, Answered, RequestRetried, RequestStarted
from roocode.protocol.messages import Message, Reply, Text
from roocode.protocol.models import ModelRequest, Retrying, TextDelta, ThinkingDelta

MOST_OVERFLOWS = 3


async def ask_model(agent: Agent, tally: Tally, tool_choice: Literal["auto", "none"] = "auto") -> Reply:
    """Asks and returns the reply as the log keeps it; a conversation that is too long is made shorter first.

    A cancel keeps the text that had been shown. Raises what ModelClient.stream raises.
    """
    for _ in range(MOST_OVERFLOWS):
        try:
            return await _ask(agent, tally, tool_choice)
        except WindowExceeded:
            if agent.room is None or not await agent.room.overflowed(tally):
                raise
    return await _ask(agent, tally, tool_choice)


async def _ask(agent: Agent, tally: Tally, tool_choice: Literal["auto", "none"]) -> Reply:
    agent.emit(RequestStarted(agent=agent.id, parent=agent.parent, turn=tally.turns + 1))
    started, answer, shown = time.monotonic(), ReplyBuilder(), list[str]()
    try:
        async for event in agent.brain.client.stream(_request(agent, tool_choice)):
            answer.add(event)
            if isinstance(event, Retrying):
                shown.clear()
                _tell_retry(agent, event)
            elif isinstance(event, TextDelta):
                shown.append(event.text)
                agent.emit(AnswerDelta(agent=agent.id, parent=agent.parent, text=event.text))
            elif isinstance(event, ThinkingDelta) and event.text:
                delta = AnswerDelta(agent=agent.id, parent=agent.parent, text=event.text, kind="thinking")
                agent.emit(delta)
    except asyncio.CancelledError:
        _keep_shown_text(agent, "".join(shown))
        raise
    reply = agent.conversation.add_reply(answer.reply())
    cost = agent.brain.cost(reply)
    tally.count_request(reply.usage, cost, time.monotonic() - started)
    agent.emit(Answered(agent=agent.id, parent=agent.parent, reply=reply, cost_usd=cost))
    return reply


def _request(agent: Agent, tool_choice: Literal["auto", "none"]) -> ModelRequest:
    brain = agent.brain
    request = ModelRequest(
        model=brain.info.name,
        system=brain.system,
        messages=agent.conversation.messages(),
        tools=agent.tools.specs,
        max_tokens=brain.max_tokens,
        tool_choice=tool_choice,
        headers=brain.headers,
    )
    return request.broken(*agent.conversation.breaks.open)


def _tell_retry(agent: Agent, retry: Retrying) -> None:
    agent.emit(
        RequestRetried(
            agent=agent.id,
            parent=agent.parent,
            attempt=retry.attempt,
            of=retry.of,
            delay_s=retry.delay_s,
            reason=retry.reason,
        )
    )


def _keep_shown_text(agent: Agent, text: str) -> None:
    if text.strip():
        agent.conversation.add_reply(Reply(Message("assistant", (Text(text),)), "end"))
