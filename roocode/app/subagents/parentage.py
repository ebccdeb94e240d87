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
from roocode.security.isolation.masking import Mask
from roocode.security.ports import Approver, FileKeeper


@dataclass(slots=True)
class Parentage:
    """One parent. `agent` is set once it is there; `apart` names its tools that are its own alone.

    `emit` is where events of its sub-agents go.
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
