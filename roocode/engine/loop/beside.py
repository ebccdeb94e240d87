"""Requests that an agent makes beside its conversation: for a summary, a hook's verdict, a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from roocode.engine.loop.agent import Brain
from roocode.engine.models.assemble import ReplyBuilder
from roocode.protocol.messages import Message, Reply
from roocode.protocol.models import AGENT_HEADER, ModelRequest
from roocode.protocol.tools import ToolSpec

_BESIDE = "/"
"""In the name under which a request is sent, after that of the agent: an agent's own has none."""


async def ask_beside(
    brain: Brain,
    purpose: str,
    messages: tuple[Message, ...],
    *,
    system: str = "",
    tools: tuple[ToolSpec, ...] = (),
    tool_choice: Literal["auto", "none"] = "auto",
    max_tokens: int,
) -> Reply:
    """One request to the agent's own model, sent as `AGENT/PURPOSE`. Raises ProviderError."""
    agent = brain.headers.get(AGENT_HEADER, "main")
    request = ModelRequest(
        model=brain.info.name,
        system=system,
        messages=messages,
        tools=tools,
        max_tokens=min(brain.max_tokens, max_tokens),
        tool_choice=tool_choice,
        headers={**brain.headers, AGENT_HEADER: f"{agent}{_BESIDE}{purpose}"},
    )
    builder = ReplyBuilder()
    async for event in brain.client.stream(request):
        builder.add(event)
    return builder.reply()


def is_beside(headers: Mapping[str, str]) -> bool:
    """Whether a request with these headers is one beside the conversation."""
    return _BESIDE in headers.get(AGENT_HEADER, "")
