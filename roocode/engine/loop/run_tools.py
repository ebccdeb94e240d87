"""Runs the calls of one answer: batch by batch, each behind the guard, each with exactly one result."""

from __future__ import annotations

import asyncio
import time

from roocode.engine.loop.agent import Agent
from roocode.engine.loop.batches import Batch, partition
from roocode.engine.loop.current_call import CURRENT_CALL
from roocode.engine.loop.limits import Tally, repetition
from roocode.protocol.events import CallBegan, CallFinished
from roocode.protocol.messages import Message, ToolCall, ToolResult, reminder
from roocode.protocol.tools import ToolOutcome

NEIGHBOUR_FAILED = ToolOutcome("Not finished: a command beside it failed.", is_error=True)


async def run_tools(agent: Agent, calls: tuple[ToolCall, ...], tally: Tally) -> None:
    """Runs all calls; a failing command ends the rest of its batch. A model that repeats itself is told."""
    for batch in partition(calls, agent.tools.runs_alongside):
        await _run_batch(agent, batch)
    agent.conversation.settle_results()
    for call in calls:
        tally.count_call(known=agent.tools.knows(call.name), readable=call.arguments is not None)
    tally.count_round(calls, agent.conversation.messages()[-1].results)
    if words := repetition(tally):
        agent.conversation.add_prompt(Message("user", (reminder(words),)))


async def _run_batch(agent: Agent, batch: Batch) -> None:
    if len(batch.calls) == 1:
        await _run_call(agent, batch.calls[0])
        return
    running = {asyncio.create_task(_run_call(agent, call)): call for call in batch.calls}
    try:
        await _until_one_ends_it(set(running))
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    for task, call in running.items():
        if task.cancelled():
            _finish(agent, call, NEIGHBOUR_FAILED, 0.0)
        else:
            task.result()


async def _until_one_ends_it(pending: set[asyncio.Task[ToolOutcome]]) -> None:
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        if any(task.exception() or task.result().ends_batch for task in done):
            return


async def _run_call(agent: Agent, call: ToolCall) -> ToolOutcome:
    agent.emit(CallBegan(agent=agent.id, parent=agent.parent, call=call))
    started = time.monotonic()
    CURRENT_CALL.set(call.id)
    outcome = await agent.tools.run(call)
    _finish(agent, call, outcome, time.monotonic() - started)
    return outcome


def _finish(agent: Agent, call: ToolCall, outcome: ToolOutcome, seconds: float) -> None:
    agent.conversation.add_result(ToolResult(call.id, outcome.content or "(no output)", outcome.is_error))
    milliseconds = round(seconds * 1000)
    agent.emit(
        CallFinished(
            agent=agent.id, parent=agent.parent, call=call, outcome=outcome, duration_ms=milliseconds
        )
    )
