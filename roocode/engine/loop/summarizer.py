"""Asks an agent's own model for a summary, so that the provider's cache knows how the request begins."""

from __future__ import annotations

from collections.abc import Callable

from roocode.engine.loop.agent import Brain
from roocode.engine.models.assemble import ReplyBuilder
from roocode.memory.compaction.summary import Answer, Spent
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
from roocode.protocol.models import AGENT_HEADER, ModelRequest
from roocode.protocol.tools import ToolSpec

LONGEST = 8_192
"""Tokens that a summary may have."""


@frozen
class AskForSummary:
    """Implements `Summarizer`: same model, system prompt and tools as the conversation, no tool allowed.

    `tools` gives them as they are sent now.
    """

    brain: Brain
    tools: Callable[[], tuple[ToolSpec, ...]]

    async def __call__(self, messages: tuple[Message, ...]) -> Answer:
        """One request. Raises ProviderError."""
        headers = dict(self.brain.headers)
        headers[AGENT_HEADER] = f"{headers.get(AGENT_HEADER, 'main')}/summary"
        request = ModelRequest(
            model=self.brain.info.name,
            system=self.brain.system,
            messages=messages,
            tools=self.tools(),
            max_tokens=min(self.brain.max_tokens, LONGEST),
            tool_choice="none",
            headers=headers,
        )
        builder = ReplyBuilder()
        async for event in self.brain.client.stream(request):
            builder.add(event)
        reply = builder.reply()
        return Answer(reply.message.text, Spent(reply.usage, self.brain.cost(reply)))
