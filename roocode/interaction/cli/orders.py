"""Command lines that run no agent of their own, as frozen data for `app.run`. A closed union."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.places import Scope
from roocode.protocol.frozen import frozen

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
Kind: TypeAlias = Literal["agents", "skills", "teams"]


@frozen
class TeamStatus:
    """`roocode team status`; `team` None means the only one. `watch`: again and again, until Ctrl+C."""

    cwd: Path
    team: str | None = None
    json: bool = False
    watch: bool = False


@frozen
class TeamList:
    """`roocode team list`."""

    cwd: Path
    json: bool = False


@frozen
class TeamAttach:
    """`roocode team attach [NAME]`."""

    cwd: Path
    team: str | None = None
    member: str | None = None


@frozen
class TeamMessage:
    """`roocode team message NAME TEXT`."""

    cwd: Path
    member: str
    text: str
    team: str | None = None


@frozen
class TeamTasks:
    """`roocode team tasks`."""

    cwd: Path
    team: str | None = None
    json: bool = False


@frozen
class TeamLogs:
    """`roocode team logs NAME`: the last `lines` lines."""

    cwd: Path
    member: str
    team: str | None = None
    lines: int = 100


@frozen
class TeamStop:
    """`roocode team stop [NAME]`: a member, or all and the lead."""

    cwd: Path
    team: str | None = None
    member: str | None = None


@frozen
class TeamAnswer:
    """`roocode team approve ID` and `deny ID`: `only` this question, not those that look the same."""

    cwd: Path
    question: str
    allow: bool
    team: str | None = None
    session: bool = False
    only: bool = False
    reason: str = ""


@frozen
class TeamMerge:
    """`roocode team merge [--preview]`."""

    options: RunOptions
    team: str | None = None
    preview: bool = False


@frozen
class TeamCleanup:
    """`roocode team cleanup [--force]`."""

    cwd: Path
    team: str | None = None
    force: bool = False


@frozen
class SessionsList:
    """`roocode sessions list`."""

    cwd: Path
    json: bool = False


@frozen
class SessionsShow:
    """`roocode sessions show SESSION`."""

    cwd: Path
    session: str


@frozen
class SessionsVerify:
    """`roocode sessions verify [SESSION] [--repair]`; without one, all of this directory."""

    cwd: Path
    session: str | None = None
    repair: bool = False


@frozen
class SessionsExport:
    """`roocode sessions export SESSION`, as Markdown or as its own JSONL."""

    cwd: Path
    session: str
    form: Literal["markdown", "jsonl"] = "markdown"


@frozen
class TrustDirectory:
    """`roocode trust [DIR]`: `yes` answers beforehand."""

    directory: Path
    yes: bool = False


@frozen
class TrustList:
    """`roocode trust --list`."""

    cwd: Path


@frozen
class TrustRevoke:
    """`roocode trust --revoke DIR`."""

    directory: Path


@frozen
class PermissionsCheck:
    """`roocode permissions check`: one call, or a call a line (`source` "-" is standard input)."""

    options: RunOptions
    tool: str = ""
    input: str = ""
    source: str = ""


@frozen
class PermissionsList:
    """`roocode permissions list`."""

    options: RunOptions
    json: bool = False


@frozen
class PermissionsExplain:
    """`roocode permissions explain`: one call, with every rule that matches it."""

    options: RunOptions
    tool: str
    input: str


@frozen
class ConfigShow:
    """`roocode config show`."""

    cwd: Path
    json: bool = False


@frozen
class ConfigGet:
    """`roocode config get KEY`."""

    cwd: Path
    key: str


@frozen
class ConfigSet:
    """`roocode config set KEY VALUE`."""

    cwd: Path
    key: str
    value: str
    scope: Scope = "user"


@frozen
class ConfigPath:
    """`roocode config path`."""

    cwd: Path
    scope: Scope = "user"


@frozen
class Doctor:
    """`roocode doctor`."""

    cwd: Path
    json: bool = False


@frozen
class ProviderTest:
    """`roocode provider test [NAME]`; `store` keeps what was found out for later runs."""

    cwd: Path
    name: str | None = None
    json: bool = False
    store: bool = True


@frozen
class Completion:
    """`roocode completion SHELL`."""

    shell: Shell


@frozen
class InstalledList:
    """`roocode agents list`, and the same for skills and teams."""

    cwd: Path
    kind: Kind
    json: bool = False


@frozen
class InstalledShow:
    """`roocode agents show NAME`, and the same for skills and teams."""

    cwd: Path
    kind: Kind
    name: str


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


TeamOrder: TypeAlias = (
    TeamStatus
    | TeamList
    | TeamAttach
    | TeamMessage
    | TeamTasks
    | TeamLogs
    | TeamStop
    | TeamAnswer
    | TeamMerge
    | TeamCleanup
)
SessionsOrder: TypeAlias = SessionsList | SessionsShow | SessionsVerify | SessionsExport
TrustOrder: TypeAlias = TrustDirectory | TrustList | TrustRevoke
PermissionsOrder: TypeAlias = PermissionsCheck | PermissionsList | PermissionsExplain
ConfigOrder: TypeAlias = ConfigShow | ConfigGet | ConfigSet | ConfigPath
InstalledOrder: TypeAlias = InstalledList | InstalledShow
McpOrder: TypeAlias = McpList | McpGet | McpTest | McpAdd | McpRemove | McpProbe
InspectOrder: TypeAlias = (
    TrustOrder
    | PermissionsOrder
    | ConfigOrder
    | Doctor
    | ProviderTest
    | Completion
    | InstalledOrder
    | McpOrder
)
Order: TypeAlias = TeamOrder | SessionsOrder | InspectOrder
