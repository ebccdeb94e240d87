"""A saved conversation as events, for screens that show what was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roocode.protocol.events import Answered, CallFinished, Event, PromptAdded, RunEnded
from roocode.protocol.messages import Message, Reply, Usage
from roocode.protocol.tools import ToolOutcome


def events(messages: Sequence[Message]) -> Iterator[Event]:
    """The person's words, the answers, and each call with its result; then all is at rest."""
    calls = {call.id: call for message in messages for call in message.calls}
    for message in messages:
        if message.role == "assistant":
            yield Answered(reply=Reply(message, "end"))
            continue
        for result in message.results:
            if call := calls.get(result.call_id):
                outcome = ToolOutcome(result.content, is_error=result.is_error)
                yield CallFinished(call=call, outcome=outcome)
        if message.spoken:
            yield PromptAdded(message=message)
    if messages:
        yield RunEnded(end="done", text="", turns=0, usage=Usage(), cost_usd=None, duration_ms=0)


def last_exchange(messages: Sequence[Message]) -> Sequence[Message]:
    """The last message with words of the person, and all that came of it."""
    for index in reversed(range(len(messages))):
        if messages[index].role == "user" and messages[index].spoken:
            return messages[index:]
    return ()
