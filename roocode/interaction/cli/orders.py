"""Command lines that run no agent of their own, as frozen data for `app.run`. A closed union."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.places import Scope
from roocode.protocol.frozen import frozen

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
Kind: TypeAlias = Literal["agents", "skills", "commands", "teams"]


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
class SkillsNew:
    """`roocode skills new NAME`: of the project, or else of the person."""

    cwd: Path
    name: str
    project: bool = False


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
InspectOrder: TypeAlias = (
    TrustOrder
    | PermissionsOrder
    | ConfigOrder
    | Doctor
    | ProviderTest
    | Completion
    | InstalledOrder
    | SkillsNew
)
Order: TypeAlias = TeamOrder | SessionsOrder | InspectOrder
