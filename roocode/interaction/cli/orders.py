"""Command lines that run no agent of their own, as frozen data for `app.run`. A closed union."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.places import Scope

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
Kind: TypeAlias = Literal["agents", "skills", "teams"]


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """`roocode team status`; `team` None means the only one."""

    cwd: Path
    team: str | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class TeamList:
    """`roocode team list`."""

    cwd: Path
    json: bool = False


@dataclass(frozen=True, slots=True)
class TeamAttach:
    """`roocode team attach [NAME]`."""

    cwd: Path
    team: str | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True)
class TeamMessage:
    """`roocode team message NAME TEXT`."""

    cwd: Path
    member: str
    text: str
    team: str | None = None


@dataclass(frozen=True, slots=True)
class TeamTasks:
    """`roocode team tasks`."""

    cwd: Path
    team: str | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class TeamLogs:
    """`roocode team logs NAME`: the last `lines` lines."""

    cwd: Path
    member: str
    team: str | None = None
    lines: int = 100


@dataclass(frozen=True, slots=True)
class TeamStop:
    """`roocode team stop [NAME]`: a member, or all and the lead."""

    cwd: Path
    team: str | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True)
class TeamMerge:
    """`roocode team merge [--preview]`."""

    options: RunOptions
    team: str | None = None
    preview: bool = False


@dataclass(frozen=True, slots=True)
class TeamCleanup:
    """`roocode team cleanup [--force]`."""

    cwd: Path
    team: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class SessionsList:
    """`roocode sessions list`."""

    cwd: Path
    json: bool = False


@dataclass(frozen=True, slots=True)
class SessionsShow:
    """`roocode sessions show SESSION`."""

    cwd: Path
    session: str


@dataclass(frozen=True, slots=True)
class SessionsVerify:
    """`roocode sessions verify [SESSION] [--repair]`; without one, all of this directory."""

    cwd: Path
    session: str | None = None
    repair: bool = False


@dataclass(frozen=True, slots=True)
class SessionsExport:
    """`roocode sessions export SESSION`, as Markdown or as its own JSONL."""

    cwd: Path
    session: str
    form: Literal["markdown", "jsonl"] = "markdown"


@dataclass(frozen=True, slots=True)
class TrustDirectory:
    """`roocode trust [DIR]`: `yes` answers beforehand."""

    directory: Path
    yes: bool = False


@dataclass(frozen=True, slots=True)
class TrustList:
    """`roocode trust --list`."""

    cwd: Path


@dataclass(frozen=True, slots=True)
class TrustRevoke:
    """`roocode trust --revoke DIR`."""

    directory: Path


@dataclass(frozen=True, slots=True)
class PermissionsCheck:
    """`roocode permissions check`: one call, or a call a line (`source` "-" is standard input)."""

    options: RunOptions
    tool: str = ""
    input: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class PermissionsList:
    """`roocode permissions list`."""

    options: RunOptions
    json: bool = False


@dataclass(frozen=True, slots=True)
class PermissionsExplain:
    """`roocode permissions explain`: one call, with every rule that matches it."""

    options: RunOptions
    tool: str
    input: str


@dataclass(frozen=True, slots=True)
class ConfigShow:
    """`roocode config show`."""

    cwd: Path
    json: bool = False


@dataclass(frozen=True, slots=True)
class ConfigGet:
    """`roocode config get KEY`."""

    cwd: Path
    key: str


@dataclass(frozen=True, slots=True)
class ConfigSet:
    """`roocode config set KEY VALUE`."""

    cwd: Path
    key: str
    value: str
    scope: Scope = "user"


@dataclass(frozen=True, slots=True)
class ConfigPath:
    """`roocode config path`."""

    cwd: Path
    scope: Scope = "user"


@dataclass(frozen=True, slots=True)
class Doctor:
    """`roocode doctor`."""

    cwd: Path
    json: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """`roocode completion SHELL`."""

    shell: Shell


@dataclass(frozen=True, slots=True)
class InstalledList:
    """`roocode agents list`, and the same for skills and teams."""

    cwd: Path
    kind: Kind
    json: bool = False


@dataclass(frozen=True, slots=True)
class InstalledShow:
    """`roocode agents show NAME`, and the same for skills and teams."""

    cwd: Path
    kind: Kind
    name: str


TeamOrder: TypeAlias = (
    TeamStatus
    | TeamList
    | TeamAttach
    | TeamMessage
    | TeamTasks
    | TeamLogs
    | TeamStop
    | TeamMerge
    | TeamCleanup
)
SessionsOrder: TypeAlias = SessionsList | SessionsShow | SessionsVerify | SessionsExport
TrustOrder: TypeAlias = TrustDirectory | TrustList | TrustRevoke
PermissionsOrder: TypeAlias = PermissionsCheck | PermissionsList | PermissionsExplain
ConfigOrder: TypeAlias = ConfigShow | ConfigGet | ConfigSet | ConfigPath
InstalledOrder: TypeAlias = InstalledList | InstalledShow
InspectOrder: TypeAlias = TrustOrder | PermissionsOrder | ConfigOrder | Doctor | Completion | InstalledOrder
Order: TypeAlias = TeamOrder | SessionsOrder | InspectOrder
