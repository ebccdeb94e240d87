"""A request as the scenario sees it: the same for every wire protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, ToolCall, ToolResult

MAIN = "main"
SUMMARY = "/summary"


@frozen
class Sender:
    """Who asks, from the headers `X-RooCode-Agent`, `-Team` and `-Session`."""

    agent: str = MAIN
    team: str = ""
    session: str = ""


@frozen
class Asked:
    """A model request, read. Neighbouring messages of one role are one message here.

    `tool_choice` is the kind alone; `offered` are the names of the tools.
    """

    sender: Sender
    model: str
    system: str
    messages: tuple[Message, ...]
    offered: tuple[str, ...] = ()
    tool_choice: str = "auto"
    stream: bool = False
    wants_usage: bool = True

    @property
    def last(self) -> Message:
        """The last message, empty where there is none."""
        return self.messages[-1] if self.messages else Message("user", ())

    @property
    def answers(self) -> tuple[Message, ...]:
        """The model's messages, oldest first."""
        return tuple(message for message in self.messages if message.role == "assistant")

    def results(self, tool: str = "") -> Iterator[tuple[ToolCall | None, ToolResult]]:
        """All results with their calls, oldest first; of one tool where it is named."""
        return self._paired(self.messages, tool)

    def last_results(self, tool: str = "") -> Iterator[tuple[ToolCall | None, ToolResult]]:
        """The results in the last message with their calls."""
        return self._paired((self.last,), tool)

    def _paired(self, messages: Iterable[Message], tool: str) -> Iterator[tuple[ToolCall | None, ToolResult]]:
        calls = {call.id: call for answer in self.answers for call in answer.calls}
        for message in messages:
            for result in message.results:
                call = calls.get(result.call_id)
                if not tool or (call is not None and call.name == tool):
                    yield call, result


def spoken(message: Message) -> str:
    """All that a message says: its texts and its results' contents, one a paragraph, in order."""
    return "\n\n".join([result.content for result in message.results] + [message.text])


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Joins neighbouring messages of one role."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            joined[-1] = Message(message.role, joined[-1].blocks + message.blocks)
        else:
            joined.append(message)
    return tuple(joined)
