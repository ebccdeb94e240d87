"""What the sub-commands about extensions ask for: agents, skills, teams, plugins, hooks, MCP servers."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.config.places import Scope
from roocode.protocol.frozen import frozen

Kind: TypeAlias = Literal["agents", "skills", "commands", "teams"]


@frozen
class InstalledList:
    """`roocode agents list`, and the same for skills, commands and teams."""

    cwd: Path
    kind: Kind
    json: bool = False


@frozen
class InstalledShow:
    """`roocode agents show NAME`, and the same for skills, commands and teams."""

    cwd: Path
    kind: Kind
    name: str


@frozen
class PluginsList:
    """`roocode plugins list`; `available`: what the marketplaces offer instead."""

    cwd: Path
    json: bool = False
    available: bool = False


@frozen
class PluginsShow:
    """`roocode plugins show NAME`."""

    cwd: Path
    name: str
    json: bool = False


@frozen
class PluginsInstall:
    """`roocode plugins install SOURCE`; `plugin` names one of a marketplace, `yes` answers beforehand."""

    cwd: Path
    source: str
    plugin: str = ""
    yes: bool = False


@frozen
class PluginsRemove:
    """`roocode plugins remove NAME`."""

    cwd: Path
    name: str


@frozen
class MarketplaceAdd:
    """`roocode plugins marketplace add SOURCE`."""

    cwd: Path
    source: str


@frozen
class MarketplaceList:
    """`roocode plugins marketplace list`."""

    cwd: Path
    json: bool = False


@frozen
class MarketplaceRemove:
    """`roocode plugins marketplace remove NAME`."""

    cwd: Path
    name: str


@frozen
class HooksList:
    """`roocode hooks list`."""

    cwd: Path
    json: bool = False


@frozen
class HooksShow:
    """`roocode hooks show NAME`."""

    cwd: Path
    name: str


@frozen
class HooksTest:
    """`roocode hooks test [SESSION]`: an id, a name or a file; `run` runs the hooks too."""

    cwd: Path
    session: str | None = None
    event: str = ""
    run: bool = False
    json: bool = False


@frozen
class SkillsNew:
    """`roocode skills new NAME`: of the project, or else of the person."""

    cwd: Path
    name: str
    project: bool = False


@frozen
class McpList:
    """`roocode mcp list`; `check` connects to each."""

    cwd: Path
    json: bool = False
    check: bool = False
    given: tuple[str, ...] = ()


@frozen
class McpGet:
    """`roocode mcp get NAME`."""

    cwd: Path
    name: str
    json: bool = False
    given: tuple[str, ...] = ()


@frozen
class McpTest:
    """`roocode mcp test NAME`; `login` goes through a login first."""

    cwd: Path
    name: str
    login: bool = False
    given: tuple[str, ...] = ()


@frozen
class McpAdd:
    """`roocode mcp add NAME COMMAND…`, or a URL."""

    cwd: Path
    name: str
    command: tuple[str, ...]
    transport: str | None = None
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    always_load: bool = False
    scope: Scope = "user"


@frozen
class McpRemove:
    """`roocode mcp remove NAME`; without a scope, from the one file that names it."""

    cwd: Path
    name: str
    scope: Scope | None = None


@frozen
class McpProbe:
    """`roocode mcp-probe URL`."""

    url: str


InstalledOrder: TypeAlias = InstalledList | InstalledShow
PluginsOrder: TypeAlias = (
    PluginsList
    | PluginsShow
    | PluginsInstall
    | PluginsRemove
    | MarketplaceAdd
    | MarketplaceList
    | MarketplaceRemove
)
HooksOrder: TypeAlias = HooksList | HooksShow | HooksTest
McpOrder: TypeAlias = McpList | McpGet | McpTest | McpAdd | McpRemove | McpProbe
ExtensionOrder: TypeAlias = InstalledOrder | SkillsNew | PluginsOrder | HooksOrder | McpOrder
