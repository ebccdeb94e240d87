"""The settings that the application runs with: plain values, each with a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roocode.interaction.config.document import KeyPath
from roocode.interaction.config.places import Places
from roocode.protocol.decisions import Mode, Verdict
from roocode.protocol.frozen import frozen
from roocode.protocol.models import Effort

Protocol: TypeAlias = Literal["anthropic", "openai", "openai-responses"]
Transport: TypeAlias = Literal["http", "sdk"]
Tier: TypeAlias = Literal["user", "project", "local", "environment", "flag"]
RuleTier: TypeAlias = Literal["session", "local", "project", "user"]
Platform: TypeAlias = Literal["direct", "profile", "bedrock", "vertex", "azure"]
SandboxMode: TypeAlias = Literal["auto", "off", "required"]
Backend: TypeAlias = Literal["auto", "tmux", "iterm2", "in-process"]


@frozen
class ProviderConfig:
    """A configured service; a built-in one without `base_url` is at its public address.

    A `platform` other than "direct" lets the official SDK find address and credentials by itself.
    """

    name: str
    protocol: Protocol
    base_url: str | None = None
    api_key_env: str | None = None
    transport: Transport | None = None
    default_model: str | None = None
    platform: Platform = "direct"


@frozen
class RuleLine:
    """A rule as written, and where it stands (`file:line`, or the flag)."""

    verdict: Verdict
    text: str
    tier: RuleTier
    source: str


@frozen
class Command:
    """A command that RooCode runs by itself, and where it stands."""

    text: str
    source: str


@frozen
class HookLine:
    """A hook as written, where it stands and whose it is; `tools/hooks/claude.py` reads all kinds."""

    data: Mapping[str, Any]
    source: str
    tier: Tier = "user"


@frozen
class ContextSettings:
    """Room in the model's window. `window` is in tokens, None where the model's own counts.

    `tools` is the share of the window up to which further tools are sent whole; beyond it only their names.
    The others are the shares that are left when a person is warned, old results are cleared, a summary is
    made, and nothing new is taken in before one.
    """

    window: int | None = None
    warning: float = 0.35
    clearing: float = 0.275
    summary: float = 0.20
    full: float = 0.05
    tools: float = 0.10


@frozen
class TeamSettings:
    """How `roocode team` runs. `verify_withheld` says where an untrusted project's command stands."""

    max_teammates: int = 4
    backend: Backend = "auto"
    verify: Command | None = None
    verify_withheld: str = ""
    coordinator: bool = True


@frozen
class SubAgentSettings:
    """`max_running` work at once; one in front goes into the background after a while, None for never."""

    max_running: int = 8
    auto_background_s: float | None = 120.0


@frozen
class WorktreeSettings:
    """What a new worktree gets besides its commit."""

    copy: tuple[str, ...] = ()
    symlink: tuple[str, ...] = ()
    setup: Command | None = None


@frozen
class Setting:
    """One value that one place set: `source` is `file:line`, a variable or an option.

    `shadowed_by` names the place that won over it; `ignored` says why it has no effect at all.
    """

    tier: Tier
    key: KeyPath
    value: Any
    source: str
    shadowed_by: str = ""
    ignored: str = ""

    @property
    def dotted(self) -> str:
        """The key as `config get` takes it."""
        return ".".join(map(str, self.key))

    @property
    def counts(self) -> bool:
        """Whether this value has effect."""
        return not self.shadowed_by and not self.ignored


@frozen
class Settings:
    """All settings for one working directory.

    `ask_timeout_s` is how long a teammate's question waits for the person, None without an end.
    `notes` is for standard error: what of the project's files has no effect, and why. `unheeded` is what of
    other agents' files is not honoured, `rule_errors` where deny rules may stand that could not be read.
    `account` holds every value that any place set, lowest place first: `explain` reads it.
    """

    places: Places
    trusted: bool = False
    model: str | None = None
    fallback_model: str | None = None
    small_model: str | None = None
    effort: Effort | None = None
    providers: Mapping[str, ProviderConfig] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    mode: Mode = "default"
    ask_timeout_s: float | None = 600.0
    rules: tuple[RuleLine, ...] = ()
    additional_directories: tuple[Path, ...] = ()
    team: TeamSettings = field(default_factory=TeamSettings)
    subagents: SubAgentSettings = field(default_factory=SubAgentSettings)
    enable_verification_agent: bool = False
    worktree: WorktreeSettings = field(default_factory=WorktreeSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    transport: Transport = "http"
    max_turns: int = 50
    max_seconds: int | None = None
    sandbox: SandboxMode = "auto"
    hooks: tuple[HookLine, ...] = ()
    notes: tuple[str, ...] = ()
    unheeded: tuple[str, ...] = ()
    rule_errors: tuple[str, ...] = ()
    account: tuple[Setting, ...] = ()
