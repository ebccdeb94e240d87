"""Asks an agent's own model for a server, once the person has allowed it."""

from __future__ import annotations

from roocode.engine.loop.agent import Brain
from roocode.engine.models.assemble import ReplyBuilder
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message, Text
from roocode.protocol.models import ModelRequest

AGENT_HEADER = "X-RooCode-Agent"


@frozen
class SampleByModel:
    """Implements `Sampler`: a conversation of its own, without tools and without ours."""

    brain: Brain

    async def sample(
        self, system: str, turns: tuple[tuple[str, str], ...], max_tokens: int
    ) -> tuple[str, str]:
        """One request. Raises ProviderError."""
        headers = dict(self.brain.headers)
        headers[AGENT_HEADER] = f"{headers.get(AGENT_HEADER, 'main')}/mcp"
        request = ModelRequest(
            model=self.brain.info.name,
            system=system,
            messages=tuple(_message(role, text) for role, text in turns),
            max_tokens=min(max_tokens, self.brain.max_tokens),
            headers=headers,
        )
        builder = ReplyBuilder()
        async for event in self.brain.client.stream(request):
            builder.add(event)
        reply = builder.reply()
        return reply.message.text, reply.model or self.brain.info.name


def _message(role: str, text: str) -> Message:
    return Message("assistant" if role == "assistant" else "user", (Text(text),))
