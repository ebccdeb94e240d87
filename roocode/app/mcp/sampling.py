"""Asks an agent's own model for a server, once the person has allowed it."""

from __future__ import annotations

from roocode.engine.loop.agent import Brain
from roocode.engine.loop.beside import ask_beside
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Text


@frozen
class SampleByModel:
    """Implements `Sampler`: a conversation of its own, without tools and without ours."""

    brain: Brain

    async def sample(
        self, system: str, turns: tuple[tuple[str, str], ...], max_tokens: int
    ) -> tuple[str, str]:
        """One request. Raises ProviderError."""
        messages = tuple(_message(role, text) for role, text in turns)
        reply = await ask_beside(self.brain, "mcp", messages, system=system, max_tokens=max_tokens)
        return reply.message.text, reply.model or self.brain.info.name


def _message(role: str, text: str) -> Message:
    return Message("assistant" if role == "assistant" else "user", (Text(text),))
