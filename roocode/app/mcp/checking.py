"""Connects to servers for a look: started, listed, and ended again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roocode.app.mcp.hosting import apart_from, learn_secrets, refusals
from roocode.app.policy import policy_of
from roocode.interaction.config.settings import Settings
from roocode.interaction.mcp.found import FoundServer, used
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Workspace
from roocode.security.isolation.secrets import Secrets
from roocode.security.permissions.paths import pinned
from roocode.security.sandbox.environment import child_env

if TYPE_CHECKING:
    from roocode.tools.mcp.connection import Connection
    from roocode.tools.mcp.servers import Servers

_SHOWN = 100


@frozen
class Checked:
    """What was seen of a server; tools and prompts by our names, with what they say of themselves."""

    status: str
    reason: str = ""
    version: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    resources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    log: str = ""


async def check(
    settings: Settings, found: Sequence[FoundServer], env: Mapping[str, str], secrets: Secrets
) -> dict[str, Checked]:
    """Tries each server once and ends it."""
    servers = _servers(settings, found, env, secrets)
    servers.start()
    try:
        await servers.settled(max((each.config.start_timeout_s for each in _all(servers)), default=0) + 5)
        return {each.config.name: _seen(servers, each) for each in _all(servers)}
    finally:
        await servers.close()


async def log_in(
    settings: Settings,
    found: FoundServer,
    env: Mapping[str, str],
    secrets: Secrets,
    show: Callable[[str], None],
) -> Checked:
    """Goes through a login of the person, at the address that `show` gets, and looks at the server then.

    Raises UserError for a server without an address, HostError where nobody logs in.
    """
    from roocode.tools.mcp.logins import Callback, Logins, provider

    config = found.config
    if config is None or config.transport == "stdio":
        raise UserError(f"{found.name} is a program: there is nothing to log in to", "leave out --login")
    servers = _servers(settings, (found,), env, secrets)
    logins = Logins(settings.places.home / "mcp-logins", config)
    logins.forget()
    callback = await Callback.open(config.oauth.callback_port)

    async def shown(address: str) -> None:
        show(address)

    auth = provider(config, logins, address=callback.address, show=shown, result=callback.result)
    try:
        servers.start(auth)
        await servers.settled(None)
        return _seen(servers, servers.connections[config.name])
    finally:
        await callback.close()
        await servers.close()


def _servers(
    settings: Settings, found: Sequence[FoundServer], env: Mapping[str, str], secrets: Secrets
) -> Servers:
    from roocode.tools.mcp.ports import Host
    from roocode.tools.mcp.servers import Servers

    places = settings.places
    configs = apart_from(settings, used(found))
    learn_secrets(secrets, configs)
    keys = {config.api_key_env for config in settings.providers.values() if config.api_key_env}
    workspace = pinned(Workspace(root=places.root, env=child_env(env, secrets=keys)))
    host = Host(
        root=workspace.root,
        home=places.person,
        state=places.home,
        env=workspace.env,
        mask=secrets,
        roots=(workspace.root,),
    )
    return Servers(configs, host, refusals(configs, policy_of(settings), workspace))


def _all(servers: Servers) -> Iterable[Connection]:
    return servers.connections.values()


def _seen(servers: Servers, connection: Connection) -> Checked:
    offering: Any = connection.offering
    if connection.status != "connected":
        reason = connection.reason or "it did not answer in time"
        status = "failed" if connection.status == "pending" else connection.status
        return Checked(status, reason, log=_log(connection))
    return Checked(
        status=connection.status,
        version=offering.version,
        tools=tuple((name, _first(tool.description)) for name, tool in servers.named_tools(connection)),
        prompts=tuple((each.name, _first(each.description)) for each in servers.prompts()),
        resources=tuple(each.uri for each in offering.resources),
        notes=offering.notes,
        log=_log(connection),
    )


def _log(connection: Connection) -> str:
    return str(connection.log.path) if connection.config.transport == "stdio" else ""


def _first(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"
