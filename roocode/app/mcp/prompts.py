"""Prompts of MCP servers, as what a person calls by `/mcp__server__prompt words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roocode.interaction.commands.invoking import Invocable, Invoked
from roocode.interaction.ui.safe_text import on_one_line

if TYPE_CHECKING:
    from roocode.tools.mcp.content import Keep
    from roocode.tools.mcp.servers import Servers

LONGEST = 100
"""Characters of what a server says of a prompt, in a list."""


class ServerPrompts:
    """Implements the chat's Invocations by the servers that are connected."""

    def __init__(self, servers: Servers, keep: Keep) -> None:
        self._servers = servers
        self._keep = keep

    def names(self) -> tuple[Invocable, ...]:
        """What they offer now."""
        return tuple(
            Invocable(each.name, on_one_line(each.takes)[:LONGEST], on_one_line(each.description)[:LONGEST])
            for each in self._servers.prompts()
        )

    async def prompt(self, name: str, arguments: str) -> Invoked | None:
        """What the server says, as the text of a prompt that the person called. Raises RooCodeError."""
        offered = (each.name for each in self._servers.prompts())
        found = next((each for each in offered if each.lower() == name.lower()), None)
        if found is None:
            return None
        text = await self._servers.invoke(found, arguments, self._keep)
        return Invoked(f"The person called {found}, a prompt of an MCP server, which says:\n\n{text}")
