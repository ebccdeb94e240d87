"""Gives agents the servers that their options name, each server started only if the guard lets it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from roocode.app.assemble import Hands
from roocode.app.discovery import Discovery
from roocode.app.options import AgentOptions
from roocode.app.written_secrets import learn_headers, learn_written
from roocode.engine.loop.agent import Agent
from roocode.engine.loop.limits import Tally
from roocode.interaction.config.settings import Settings
from roocode.protocol.events import Notice
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Touches, Workspace
from roocode.security.isolation.masking import Mask
from roocode.security.isolation.secrets import Secrets
from roocode.security.permissions.decide import digest_of, examine, judge
from roocode.security.permissions.grants import Grants
from roocode.security.permissions.policy import Policy
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.services import Asker

if TYPE_CHECKING:
    from roocode.app.mcp.prompts import ServerPrompts
    from roocode.tools.mcp.connection import Connection
    from roocode.tools.mcp.content import Keep
    from roocode.tools.mcp.servers import Servers

START = "__start_mcp__"
RESOURCES = "resources of MCP servers"
FIRST_REQUEST_WAITS_S = 20.0
"""How long a run without a person waits for its servers before it asks the model."""
_APART = ("user", "plugin")


def apart_from(settings: Settings, configs: Iterable[ServerConfig]) -> tuple[ServerConfig, ...]:
    """The person's own servers and those of plugins are started apart from an untrusted directory."""
    return tuple(replace(each, apart=each.owner in _APART and not settings.trusted) for each in configs)


def learn_secrets(secrets: Secrets, configs: Iterable[ServerConfig]) -> None:
    """Lets the mask know what stands in headers, in variables, in options and in addresses."""
    for config in configs:
        learn_headers(secrets, config.headers, config.name)
        secrets.learn(config.env)
        learn_written(secrets, (config.url, *config.args))
        if config.oauth.client_secret:
            secrets.learn({"client_secret": config.oauth.client_secret}, ("client_secret",))


def refusals(configs: Iterable[ServerConfig], policy: Policy, workspace: Workspace) -> dict[str, str]:
    """The servers that must not be started, with the reason: a dangerous command, or a deny rule.

    What stands in the options was configured by the person, or trusted with its very content: that is the
    grant of exactly this start, and it lets nothing else through.
    """
    reasons = {}
    grants = Grants()
    for config in configs:
        line = shlex.join(config.argv) or None
        urls = (config.url,) if config.url else ()
        touches = Touches(command=line, urls=urls, other=True)
        call = examine(START, config.act, touches, policy, workspace)
        grants.add(digest_of(call))
        decision = judge(call, policy, grants)
        if decision.verdict != "allow":
            reasons[config.name] = f"it is not started: {decision.reason}"
    return reasons


def equip(
    agent: Agent,
    options: AgentOptions,
    hands: Hands,
    mask: Mask,
    discovery: Discovery | None,
    asker: Asker | None = None,
) -> Servers | None:
    """The servers of an agent's options, not begun yet: `discovery` hears of their tools as they come and go.

    Nothing of the protocol is imported where there are none.
    """
    if not options.mcp or discovery is None:
        return None
    from roocode.app.mcp.sampling import SampleByModel
    from roocode.tools.mcp.content import Keep
    from roocode.tools.mcp.ports import Host
    from roocode.tools.mcp.servers import Servers

    workspace, policy = hands.workspace, agent.tools.policy

    def tell(text: str) -> None:
        agent.emit(Notice(agent=agent.id, parent=agent.parent, text=text))

    host = Host(
        root=workspace.root,
        home=Path(options.home),
        state=Path(options.state),
        env=workspace.env,
        mask=mask,
        roots=(workspace.root, *workspace.extra),
        asker=asker,
        sampler=SampleByModel(agent.brain) if asker is not None else None,
        tell=tell,
    )
    servers = Servers(options.mcp, host, refusals(options.mcp, policy, workspace))
    feed(discovery, servers, Keep(hands.scratch.spool), tell)
    return servers


def waiting_for(servers: Servers, agent: Agent) -> Agent:
    """The agent, whose first request waits for its servers a while: nobody is there to see them come."""
    return replace(agent, before_request=(_Settled(servers), *agent.before_request))


@frozen
class _Settled:
    """A step before each request, which waits for first tries alone."""

    servers: Servers

    async def __call__(self, tally: Tally, /) -> bool:
        """Returns at once from the second time on."""
        await self.servers.settled(FIRST_REQUEST_WAITS_S)
        return False


def feed(
    discovery: Discovery,
    servers: Servers,
    keep: Keep,
    tell: Callable[[str], None],
    fits: Callable[[str], bool] = lambda _name: True,
) -> Callable[[Connection], None]:
    """Lets an agent's discovery hear of the tools that fit of each server as they come, change and go.

    Returns what is called from now on.
    """

    def look(connection: Connection) -> None:
        name = connection.config.name
        match connection.status:
            case "connected":
                refused = discovery.arrived(
                    name,
                    (tool for tool in servers.tools(connection, keep, tell) if fits(tool.spec.name)),
                    always_load=connection.config.always_load,
                    words=connection.offering.instructions,
                )
                for tool, why in refused.items():
                    tell(f"MCP server {name}: its tool {tool} is left out: {why}")
                reading = [tool for tool in servers.resource_tools(keep) if fits(tool.spec.name)]
                if reading:
                    discovery.arrived(RESOURCES, reading)
            case "pending":
                discovery.expect(name)
            case "failed" | "needs-auth":
                discovery.failed(name, connection.reason)
            case "closed":
                pass
            case _:
                assert_never(connection.status)

    servers.ready.append(look)
    return look


def warn_of_failures(servers: Servers, agent: Agent) -> None:
    """Says of each server once that it is not there, and why: those that failed already, and later ones."""
    told: set[str] = set()

    def look(connection: Connection) -> None:
        name = connection.config.name
        if connection.status in ("failed", "needs-auth") and name not in told:
            told.add(name)
            text = f"MCP server {name} is not there: {connection.reason} (`roocode mcp test {name}`)"
            agent.emit(Notice(agent=agent.id, parent=agent.parent, text=text, level="warning"))
        elif connection.status == "connected":
            told.discard(name)

    servers.ready.append(look)
    for connection in servers.connections.values():
        look(connection)


def untrusted_note(names: Sequence[str]) -> tuple[str, ...]:
    """What is said of a project's servers that are not started."""
    if not names:
        return ()
    listed = ", ".join(names)
    return (f"MCP servers of this directory are not started, it is not trusted: {listed} (`roocode trust`)",)


def prompts_of(servers: Servers, hands: Hands) -> ServerPrompts:
    """The servers' prompts for the person; what is long in them lies where the agent can read it."""
    from roocode.app.mcp.prompts import ServerPrompts
    from roocode.tools.mcp.content import Keep

    return ServerPrompts(servers, Keep(hands.scratch.spool))


def join(
    servers: Servers,
    discovery: Discovery,
    hands: Hands,
    fits: Callable[[str], bool],
    tell: Callable[[str], None],
) -> Callable[[], None]:
    """Lets a sub-agent have what fits of servers that its parent has; what is returned ends that."""
    from roocode.tools.mcp.content import Keep

    heard = feed(discovery, servers, Keep(hands.scratch.spool), tell, fits)
    for connection in servers.connections.values():
        heard(connection)
    return lambda: servers.ready.remove(heard)
