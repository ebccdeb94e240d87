"""A sub-agent that was put together, from its first request to the end of its processes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roocode.app.assemble import Hands
from roocode.app.subagents.ground import Ground
from roocode.engine.loop.agent import Agent
from roocode.engine.loop.steering import Steering
from roocode.engine.loop.turn import run
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.errors import RooCodeError
from roocode.protocol.events import RunEnded
from roocode.protocol.messages import Message

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Running:
    """Implements `Child`. `first` are its first words where they are not in the conversation already.

    `left` ends what it hears of servers.
    """

    agent: Agent
    conversation: Conversation
    hands: Hands
    ground: Ground
    steering: Steering
    first: Message | None
    hold: Callable[[], None]
    about: str
    left: Callable[[], None]
    hooking: Hooking | None

    async def run(self) -> RunEnded:
        """Works to the end."""
        if self.hooking is not None:
            await self.hooking.hooks.hear("subagent_start", prompt=self.first.spoken if self.first else "")
        return await run(self.agent, self.first)

    def say(self, message: Message) -> None:
        """A word before its next request."""
        self.steering.say(message)

    def hold_to_background(self) -> None:
        """From now on it may call only what an agent in the background may."""
        self.hold()

    async def close(self) -> str:
        """Ends its processes, commits what is left in its worktree, closes its transcript."""
        self.left()
        try:
            await self.hands.close()
            return await self.ground.leave(self.about, self.conversation.messages())
        except RooCodeError as error:
            _log.warning("sub-agent %s: %s", self.agent.id, error)
            return f"Its worktree was left as it is: {error.what}"
        finally:
            self.conversation.close()
