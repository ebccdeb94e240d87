"""SendMessage, outside a team: a word to a sub-agent, or of one to its parent."""

from __future__ import annotations

from typing import Annotated

from roocode.engine.subagents.agents import SubAgents
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.schema import Input, Limit
from roocode.tools.typed_tool import Action, make_tool


@frozen
class SendMessageInput(Input):
    """What SendMessage takes."""

    to: Annotated[str, Limit(min_length=1)]
    """The agent's name or id; `main` is the one that started you."""
    summary: Annotated[str, Limit(min_length=1)]
    """What it is about, in 5 to 10 words."""
    message: Annotated[str, Limit(min_length=1)]
    """The words."""


class SendMessage(Action[SendMessageInput]):
    """The mail of one agent; `sender` is its label."""

    def __init__(self, agents: SubAgents, sender: str) -> None:
        self._agents = agents
        self._sender = sender

    def touches(self, given: SendMessageInput) -> Touches:
        """Nothing outside this session."""
        return Touches()

    async def run(self, given: SendMessageInput) -> ToolOutcome:
        """What came of it."""
        return ToolOutcome(await self._agents.say(given.to, self._sender, given.message, given.summary))


def build(agents: SubAgents, sender: str) -> Tool:
    """SendMessage."""
    return make_tool(__name__, SendMessageInput, SendMessage(agents, sender))
