"""Opens the SDK's client for one connection. The one module, with `http`, that imports the SDK to connect."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError

from roocode import __version__
from roocode.tools.mcp import http
from roocode.tools.mcp.answers import Answers
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.faults import login_needed
from roocode.tools.mcp.logins import Logins, provider
from roocode.tools.mcp.mending import mended
from roocode.tools.mcp.offering import (
    Offering,
    cut,
    everything,
    read_prompts,
    read_resources,
    read_tools,
)
from roocode.tools.mcp.ports import Host, Waiting
from roocode.tools.mcp.stdio import ServerProcess

__all__ = ["Client", "MCPError", "is_lost", "listening", "offering", "opened"]

# What the SDK logs is said by status and reason as well, and would come with traces into the person's screen.
for _name in ("mcp", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

_LISTEN_AGAIN_S = 10.0
_GONE = ("Session terminated", "Connection closed")


@asynccontextmanager
async def opened(
    config: ServerConfig,
    host: Host,
    process: ServerProcess | None,
    told: Callable[[], None],
    waiting: Waiting,
    auth: Any = None,
) -> AsyncIterator[Client]:
    """A client that has shaken hands; `told` is called when the server says that a list changed.

    `auth` takes the place of what an earlier login gave. Raises LoginNeeded, or whatever the SDK raises.
    """
    answers = Answers(config.name, host, waiting)
    async with AsyncExitStack() as stack:
        witness = http.Witness()
        if process is not None:
            streams: Any = process.streams()
        else:
            logins = Logins(host.logins, config)
            by_itself = config.oauth.machine
            if auth is None and (by_itself or await asyncio.to_thread(lambda: logins.is_known)):
                auth = provider(config, logins)
            requests = http.http_client(config.headers, witness, auth)
            if config.transport == "http":
                await stack.enter_async_context(requests)
            streams = http.streams(config, requests)
        client = Client(
            mended(streams),
            mode="legacy" if config.legacy or config.transport == "sse" else "auto",
            client_info=types.Implementation(name="roocode", version=__version__),
            elicitation_callback=answers.elicit,
            sampling_callback=answers.sample if host.sampler is not None else None,
            list_roots_callback=answers.roots,
            message_handler=_hearing(told),
            cache=None,
        )
        try:
            await stack.enter_async_context(client)
        except Exception as error:
            if witness.wants_login:
                raise login_needed(config.name) from error
            raise
        yield client


def _hearing(told: Callable[[], None]) -> Callable[[Any], Awaitable[None]]:
    changes = (
        types.ToolListChangedNotification,
        types.PromptListChangedNotification,
        types.ResourceListChangedNotification,
    )

    async def hear(message: Any) -> None:
        if isinstance(message, changes):
            told()

    return hear


async def offering(client: Client) -> Offering:
    """Everything that the server lists now. A list that it does not have is empty."""
    has = client.server_capabilities
    tools, tools_cut = await _list(client.list_tools, lambda page: page.tools, "tools")
    prompts, prompts_cut = await _list(
        client.list_prompts, lambda page: page.prompts, "prompts", has=has.prompts is not None
    )
    readable = has.resources is not None
    resources, resources_cut = await _list(
        client.list_resources, lambda page: page.resources, "resources", has=readable
    )
    templates, templates_cut = await _list(
        client.list_resource_templates, lambda page: page.resource_templates, "templates", has=readable
    )
    read, notes = read_tools(tools)
    notes += [note for note in (tools_cut, prompts_cut, resources_cut, templates_cut) if note]
    return Offering(
        tools=tuple(read),
        prompts=tuple(read_prompts(prompts)),
        resources=(
            *read_resources(resources, template=False),
            *read_resources(templates, template=True),
        ),
        instructions=cut(client.instructions),
        version=cut(client.protocol_version, 40),
        notes=tuple(notes),
    )


async def _list(
    call: Callable[..., Awaitable[Any]], items: Callable[[Any], list[Any]], what: str, *, has: bool = True
) -> tuple[list[Any], str]:
    if not has:
        return [], ""
    try:
        return await everything(lambda cursor: call(cursor=cursor), items, what)
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            raise
        return [], "" if error.code == types.METHOD_NOT_FOUND else f"its {what} cannot be listed: {error}"


async def listening(client: Client, told: Callable[[], None]) -> None:
    """Hears of changed lists where the protocol wants to be asked for that; ends where it does not."""
    has = client.server_capabilities
    wanted = {
        "tools_list_changed": bool(has.tools and has.tools.list_changed),
        "prompts_list_changed": bool(has.prompts and has.prompts.list_changed),
        "resources_list_changed": bool(has.resources and has.resources.list_changed),
    }
    if client.session.discover_result is None or not any(wanted.values()):
        return
    while True:
        try:
            async with client.listen(**wanted) as changes:
                async for _ in changes:
                    told()
            return
        except SubscriptionLost:
            # Whatever stands between us and the server may end a silent stream: nothing more is known of it.
            await asyncio.sleep(_LISTEN_AGAIN_S)
            told()


def is_lost(error: BaseException) -> bool:
    """Whether an error means that this connection serves no more."""
    if not isinstance(error, MCPError):
        return not isinstance(error, ValueError | TypeError | RuntimeError | TimeoutError)
    return error.code == types.CONNECTION_CLOSED or str(error) in _GONE
