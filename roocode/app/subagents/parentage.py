"""What an agent gives to its sub-agents: client, hooks, servers and rules; nothing of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roocode.app.assemble import Hands
from roocode.app.options import AgentOptions
from roocode.app.subagents.models import Models
from roocode.engine.loop.agent import Agent
from roocode.engine.subagents.budget import Budget
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import Event
from roocode.protocol.tools import Tool
from roocode.security.guard import GuardedToolset
from roocode.security.isolation.masking import Mask
from roocode.security.ports import Approver, FileKeeper

PERSONAL = frozenset({"LoadSkill", "ToolSearch"})
"""Tools that act on the toolset of the agent which has them: a sub-agent must never have its parent's."""


@dataclass(slots=True)
class Parentage:
    """One parent. `agent` is set once it is there; `apart` names its tools that are its own alone.

    `emit` is where events of its sub-agents go. `make` builds those of PERSONAL for a sub-agent, which
    is given by its toolset; without it no sub-agent has them.
    """

    name: str
    options: AgentOptions
    root: Path
    env: Mapping[str, str]
    hands: Hands
    conversation: Conversation
    models: Models
    budget: Budget
    approver: Approver
    mask: Mask
    emit: Callable[[Event], None]
    notes: Notes | None = None
    keeper: FileKeeper | None = None
    team: str = ""
    apart: frozenset[str] = field(default_factory=frozenset)
    make: Callable[[Callable[[], GuardedToolset]], tuple[Tool, ...]] = lambda _toolset: ()
    agent: Agent | None = None

    @property
    def folder(self) -> Path:
        """Where the transcripts of its sub-agents lie: beside its own."""
        return self.conversation.path.with_suffix("") / "subagents"

    @property
    def present(self) -> Agent:
        """The parent itself, as it now is."""
        assert self.agent is not None
        return self.agent
