"""Whether an agent has hooks at all: without any, nothing of them is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from roocode.app.options import AgentOptions
from roocode.memory.sessions.conversation import Conversation
from roocode.protocol.events import Event
from roocode.protocol.tools import Workspace
from roocode.security.isolation.masking import Mask
from roocode.security.permissions.policy import Policy

if TYPE_CHECKING:
    from roocode.app.hooking import Hooking


def hooked(
    options: AgentOptions,
    workspace: Workspace,
    conversation: Conversation,
    emit: Callable[[Event], None],
    mask: Mask,
    policy: Callable[[], Policy],
    *,
    agent_type: str = "",
    parent: str | None = None,
) -> Hooking | None:
    """The hooks of an agent, or None; `policy` gives the one that holds at the moment."""
    if not options.hooks:
        return None
    from roocode.app.hooking import hooking_of

    return hooking_of(
        options, workspace, conversation, emit, mask, policy, agent_type=agent_type, parent=parent
    )
