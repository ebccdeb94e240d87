"""What an agent gives to its sub-agents: client, hooks, servers and rules; nothing of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roocode.app.assemble import Hands
from roocode.app.options import AgentOptions
from roocode.app.subagents.models import Models
from roocode.engine.loop.agent import Agent, Bound
from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import Standing
from roocode.memory.notes.store import Notes
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import Event
from roocode.protocol.models import ModelClient
from roocode.security.isolation.masking import Mask
from roocode.security.ports import Approver, FileKeeper

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking
    from roocode.tools.mcp.servers import Servers

PERSONAL = frozenset({"LoadSkill", "ToolSearch"})
"""Tools that act on the toolset of the agent which has them: a sub-agent must never have its parent's."""


@dataclass(slots=True)
class Parentage:
    """One parent. `agent` and `client` are set once it is there; `apart` names tools that are its own alone.

    `client` and `approver` have no hooks around them: each agent hangs its own there.
    `emit` is where events of its sub-agents go, `bound` the limit that they use up together. `trusted` says
    what of the project's skills counts at `places`, where their directory's own record does not.
    """

    name: str
    options: AgentOptions
    root: Path
    env: Mapping[str, str]
    hands: Hands
    conversation: Conversation
    models: Models
    approver: Approver
    mask: Mask
    emit: Callable[[Event], None]
    places: Places
    trusted: Callable[[], Standing] | None = None
    bound: Bound | None = None
    hooking: Hooking | None = None
    servers: Servers | None = None
    notes: Notes | None = None
    keeper: FileKeeper | None = None
    team: str = ""
    apart: frozenset[str] = field(default_factory=frozenset)
    agent: Agent | None = None
    client: ModelClient | None = None

    @property
    def folder(self) -> Path:
        """Where the transcripts of its sub-agents lie: beside its own."""
        return self.conversation.path.with_suffix("") / "subagents"

    @property
    def present(self) -> Agent:
        """The parent itself, as it now is."""
        assert self.agent is not None
        return self.agent
