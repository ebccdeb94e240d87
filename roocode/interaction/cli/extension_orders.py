"""What the sub-commands about extensions ask for: agents, skills, teams, plugins and hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

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
ExtensionOrder: TypeAlias = InstalledOrder | SkillsNew | PluginsOrder | HooksOrder
