"""Command lines that run agents, as frozen data for `app.run`; `orders` holds the others."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.config.sources import Flag
from roocode.protocol.frozen import frozen

OutputFormat: TypeAlias = Literal["text", "json", "stream-json"]
InputFormat: TypeAlias = Literal["text", "stream-json"]
BackendChoice: TypeAlias = Literal["auto", "tmux", "iterm2", "in-process"]


@frozen
class RunOptions:
    """What every run of an agent takes. `flags` are the options that set a key of the configuration.

    `mcp_config` are further MCP servers, as files or JSON texts, and the only ones with `strict_mcp_config`.
    `agents` is JSON with agent definitions.
    """

    cwd: Path
    flags: tuple[Flag, ...] = ()
    append_system_prompt: str = ""
    max_budget_usd: float | None = None
    max_budget_tokens: int | None = None
    verbose: bool = False
    mcp_config: tuple[str, ...] = ()
    strict_mcp_config: bool = False
    agents: str = ""


@frozen
class SessionChoice:
    """Which conversation: a new one, the last one here, or one by id or name ("ask": let the person choose).

    `fork` leaves the old one as it is and goes on in a copy; `name` names the session.
    """

    start: Literal["new", "last", "named", "ask"] = "new"
    session: str = ""
    fork: bool = False
    name: str = ""


@frozen
class ChatRequest:
    """`roocode ["prompt"]`."""

    options: RunOptions
    prompt: str = ""
    session: SessionChoice = field(default_factory=SessionChoice)


@frozen
class PrintRequest:
    """`roocode -p ["prompt"]`: without a prompt it comes from standard input."""

    options: RunOptions
    prompt: str = ""
    session: SessionChoice = field(default_factory=SessionChoice)
    output: OutputFormat = "text"
    input: InputFormat = "text"
    partial_messages: bool = False


@frozen
class TeamRequest:
    """`roocode team "goal"`. `headless` is `-p`; `base` None means HEAD."""

    options: RunOptions
    goal: str
    headless: bool = False
    output: OutputFormat = "text"
    partial_messages: bool = False
    name: str | None = None
    teammate_model: str | None = None
    base: str | None = None
    dirty: Literal["ignore", "refuse"] = "ignore"
    merge: bool = True
    cleanup: bool = False


@frozen
class TeamResume:
    """`roocode team resume [NAME] [TEXT]`: brings a team back; TEXT goes to the member NAME."""

    options: RunOptions
    team: str | None = None
    member: str | None = None
    text: str = ""
    headless: bool = False
    output: OutputFormat = "text"
    partial_messages: bool = False
    merge: bool = True
    cleanup: bool = False


@frozen
class TeammateRequest:
    """The process of one teammate, started by the lead."""

    handshake: Path


@frozen
class DemoRequest:
    """`roocode demo`; `directory` None is a temporary one."""

    directory: Path | None = None
    backend: BackendChoice = "auto"
    output: OutputFormat = "text"
    slow: bool = False


RunRequest: TypeAlias = ChatRequest | PrintRequest | TeamRequest | TeamResume | TeammateRequest | DemoRequest
