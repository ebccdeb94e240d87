"""A fork's conversation: what its parent's model had last been sent, with every open call closed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roocode.protocol.errors import ModelError
from roocode.protocol.messages import Message, Text, ToolResult

ELSEWHERE = "This call goes on in the other agent's conversation, where its result belongs."


def forked(messages: Sequence[Message], directive: str) -> tuple[Message, ...]:
    """The parent's messages up to its last answer, the results of that answer's calls, and the directive.

    The parent had been sent all but its last answer: those messages stay as they are, byte for byte.
    Raises ModelError where the conversation has no answer yet.
    """
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "assistant"), None)
    if last is None:
        raise ModelError("There is no conversation to fork yet: name a subagent_type.")
    results = tuple(_results(messages[last], messages[last + 1 :]))
    return (*messages[: last + 1], Message("user", (*results, Text(directive))))


def _results(answer: Message, later: Sequence[Message]) -> Iterator[ToolResult]:
    there = {result.call_id: result for message in later for result in message.results}
    for call in answer.calls:
        yield there.get(call.id, ToolResult(call.id, ELSEWHERE))
