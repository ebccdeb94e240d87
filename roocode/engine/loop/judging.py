"""Asks the agent's own model for a hook's verdict, beside the conversation."""

from __future__ import annotations

from typing import Protocol

from roocode.engine.loop.agent import Brain
from roocode.engine.loop.beside import ask_beside
from roocode.protocol.errors import HostError
from roocode.protocol.messages import user

LONGEST = 2_000
"""Tokens that a verdict may have."""


class Spawner(Protocol):
    """Starts a sub-agent that may look at files, and waits for its end."""

    async def spawn(self, prompt: str, *, model: str) -> str:
        """Its last words. Raises RooCodeError."""
        ...


class ModelJudge:
    """Implements `Judge` of the hooks. `brain` is the agent's; `spawner` starts judges that have tools.

    Without a spawner every verdict is one request.
    """

    def __init__(self) -> None:
        self.brain: Brain | None = None
        self.spawner: Spawner | None = None

    async def judge(self, question: str, *, model: str, alone: bool) -> str:
        """The last words of the judge. Raises ProviderError or HostError."""
        if self.spawner is not None and not alone:
            return await self.spawner.spawn(question, model=model)
        if self.brain is None:
            raise HostError("no model can be asked here")
        reply = await ask_beside(self.brain, "hook", (user(question),), max_tokens=LONGEST)
        return reply.message.text
