"""Asks an agent's own model for a summary, so that the provider's cache knows how the request begins."""

from __future__ import annotations

from collections.abc import Callable

from roocode.engine.loop.agent import Brain
from roocode.engine.loop.beside import ask_beside
from roocode.memory.compaction.summary import Answer, Spent
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
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
        reply = await ask_beside(
            self.brain,
            "summary",
            messages,
            system=self.brain.system,
            tools=self.tools(),
            tool_choice="none",
            max_tokens=LONGEST,
        )
        return Answer(reply.message.text, Spent(reply.usage, self.brain.cost(reply)))
