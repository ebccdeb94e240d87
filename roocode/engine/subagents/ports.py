"""What running sub-agents needs of others."""

from __future__ import annotations

from typing import Any, Protocol

from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.outcome import Profile
from roocode.protocol.events import RunEnded
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Message
from roocode.protocol.tools import Tool


@frozen
class Order:
    """What is asked for: `definition` None is a fork of the parent. `stays`: it never leaves the front.

    `tools` are further ones than its parent's; `unhooked`: the person's hooks leave it alone.
    """

    prompt: str
    description: str
    definition: AgentDefinition | None
    name: str = ""
    in_background: bool = False
    in_worktree: bool = False
    call: str = ""
    stays: bool = False
    tools: tuple[Tool, ...] = ()
    unhooked: bool = False


class Child(Protocol):
    """An agent that was put together."""

    async def run(self) -> RunEnded:
        """Works on what it was told last, to the end. A cancel leaves a whole transcript."""
        ...

    def say(self, message: Message) -> None:
        """A word that reaches it before its next request."""
        ...

    def hold_to_background(self) -> None:
        """From now on it may call only what an agent in the background may."""
        ...

    async def close(self) -> str:
        """Ends what it started; says what is left of its worktree. Raises nothing."""
        ...


class Builder(Protocol):
    """Puts children together: the composition does."""

    async def begin(self, profile: Profile, order: Order) -> Child:
        """A new agent with its first words. Raises RooCodeError."""
        ...

    async def again(self, profile: Profile, order: Order, message: Message) -> Child:
        """One that had ended, from its transcript, with new words. Raises RooCodeError."""
        ...

    def last_words(self, profile: Profile) -> str:
        """The last text in an agent's transcript; empty where there is none."""
        ...


class Diary(Protocol):
    """Where the parent's session keeps what became of its sub-agents."""

    def note(self, kind: str, /, **fields: Any) -> None:
        """Appends a record."""
        ...
