"""All servers of this process: one connection each, whichever of its agents uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.connection import Connection
from roocode.tools.mcp.content import Keep, prompt_text
from roocode.tools.mcp.faults import ServerDown, in_words
from roocode.tools.mcp.naming import Names
from roocode.tools.mcp.offering import RemoteTool
from roocode.tools.mcp.ports import Host
from roocode.tools.mcp.prompts import NamedPrompt, arguments_of
from roocode.tools.mcp.resources import resource_tools
from roocode.tools.mcp.stdio import Wards
from roocode.tools.mcp.tool import McpTool

NOTHING_REFUSED: Mapping[str, str] = MappingProxyType({})


@frozen
class Failed:
    """A server that is not there, and why."""

    server: str
    status: str
    reason: str


class Servers:
    """Starts every server in the background; `ready` is called for one that connected or changed its lists.

    Several agents may listen; each builds tools of its own over the one connection.
    """

    def __init__(
        self, configs: Sequence[ServerConfig], host: Host, refused: Mapping[str, str] = NOTHING_REFUSED
    ) -> None:
        self.ready: list[Callable[[Connection], None]] = []
        self._host = host
        self._wards = Wards()
        self._names, self._prompt_names = Names(), Names()
        for config in sorted(configs, key=lambda config: Names.would_change(config.name)):
            self._names.server(config.name)
            self._prompt_names.server(config.name)
        self.connections = {
            config.name: Connection(config, host, self._wards, refused.get(config.name, ""))
            for config in configs
        }

    @property
    def token(self) -> str:
        """What stands in the environment of all that belongs to a server of this process."""
        return self._wards.token

    def start(self, auth: Any = None) -> None:
        """Begins to connect to all of them; `auth` is for a login that goes on now."""
        for connection in self.connections.values():
            connection.changed.append(self._hearing(connection))
            connection.start(auth)

    def _hearing(self, connection: Connection) -> Callable[[], None]:
        def hear() -> None:
            if connection.status == "connected":
                self._names.settle(connection.config.name, (tool.name for tool in connection.offering.tools))
            for each in tuple(self.ready):
                each(connection)

        return hear

    async def settled(self, within_s: float | None) -> None:
        """Waits until each server's first try is over, and not longer than this; None waits for as long."""
        waits = [asyncio.create_task(each.settled.wait()) for each in self.connections.values()]
        if waits:
            _, pending = await asyncio.wait(waits, timeout=within_s)
            for each in pending:
                each.cancel()

    def tools(self, connection: Connection, keep: Keep, tell: Callable[[str], None]) -> tuple[Tool, ...]:
        """A server's tools for one agent, raw: only a guard may run them."""
        named = self.named_tools(connection)
        return tuple(McpTool(name, remote, connection, keep, tell) for name, remote in named)

    def named_tools(self, connection: Connection) -> tuple[tuple[str, RemoteTool], ...]:
        """A server's tools with our names for them."""
        server = connection.config.name
        return tuple((self._names.of(server, tool.name), tool) for tool in connection.offering.tools)

    def resource_tools(self, keep: Keep) -> tuple[Tool, ...]:
        """The tools that list and read resources, where a server has some."""
        have = any(each.offering.resources for each in self.connections.values())
        return resource_tools(self.connections, keep) if have else ()

    def prompts(self) -> tuple[NamedPrompt, ...]:
        """The prompts of all servers that are connected."""
        return tuple(
            NamedPrompt(
                self._prompt_names.of(name, prompt.name),
                name,
                prompt.name,
                prompt.description,
                prompt.arguments,
            )
            for name, connection in self.connections.items()
            if connection.status == "connected"
            for prompt in connection.offering.prompts
        )

    async def invoke(self, name: str, text: str, keep: Keep) -> str:
        """What the prompt of this name says, with the words behind it. Raises UserError or ServerDown."""
        prompts = {each.name: each for each in self.prompts()}
        if name not in prompts:
            known = ", ".join(prompts) or "none"
            raise UserError(f"no MCP server offers a prompt /{name}", f"there are: {known}")
        return await self.render(prompts[name], arguments_of(prompts[name], text), keep)

    async def render(self, prompt: NamedPrompt, arguments: dict[str, str], keep: Keep) -> str:
        """What a prompt says with these arguments. Raises ServerDown."""
        connection = self.connections[prompt.server]
        try:
            result = await connection.request(lambda client: client.get_prompt(prompt.remote, arguments))
        except ServerDown:
            raise
        except Exception as error:  # the SDK's own, of a dozen kinds
            raise ServerDown(f"{prompt.server} gave no prompt {prompt.remote}: {in_words(error)}") from error
        return prompt_text(result, keep)

    def failed(self) -> tuple[Failed, ...]:
        """The servers that are not connected now, and why."""
        return tuple(
            Failed(name, each.status, each.reason)
            for name, each in self.connections.items()
            if each.status != "connected"
        )

    def states(self) -> tuple[tuple[str, str], ...]:
        """Name and status of each."""
        return tuple((name, each.status) for name, each in self.connections.items())

    async def close(self) -> None:
        """Ends every connection and every server, and waits for that."""
        await asyncio.gather(*(each.close() for each in self.connections.values()))
        await self._wards.close()
