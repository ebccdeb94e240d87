"""What one agent is built from, resolved once: the same data for a single agent, a lead and its teammates.

It is plain enough to travel to a teammate's process over the handshake, keys included: it is never logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from roocode.interaction.config.providers import ResolvedModel
from roocode.interaction.config.settings import ContextSettings, HookLine, RuleLine, SandboxMode, Settings
from roocode.protocol.decisions import Mode
from roocode.protocol.frozen import frozen
from roocode.protocol.models import Effort
from roocode.tools.mcp.config import ServerConfig


@frozen
class AgentOptions:
    """Model, limits and the person's rules.

    `home` is the person's home directory, `state` RooCode's own. `exact_commands` run byte for byte without a
    question. `pin_git`: it commits without a question in a directory that nobody trusted. `secret_names` are
    variables with a key; `mcp` are the servers that it has; agents with the same `salt` mask a secret alike.
    """

    model: ResolvedModel
    system: str
    home: str
    state: str
    mode: Mode = "default"
    rules: tuple[RuleLine, ...] = ()
    rule_base: str = ""
    extra: tuple[str, ...] = ()
    exact_commands: tuple[str, ...] = ()
    sandbox: SandboxMode = "auto"
    max_turns: int = 50
    max_seconds: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    context: ContextSettings = field(default_factory=ContextSettings)
    effort: Effort | None = None
    fallbacks: tuple[ResolvedModel, ...] = ()
    secret_names: tuple[str, ...] = field(default=(), repr=False)
    pin_git: bool = False
    hooks: tuple[HookLine, ...] = ()
    mcp: tuple[ServerConfig, ...] = field(default=(), repr=False)
    salt: str = field(default="", repr=False)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> AgentOptions:
        """The inverse of `to_json`."""
        fields = dict(value)
        fields["model"] = ResolvedModel(**fields["model"])
        fields["context"] = ContextSettings(**fields["context"])
        fields["rules"] = tuple(RuleLine(**line) for line in fields["rules"])
        fields["hooks"] = tuple(HookLine(**line) for line in fields["hooks"])
        fields["fallbacks"] = tuple(ResolvedModel(**model) for model in fields["fallbacks"])
        fields["mcp"] = tuple(ServerConfig.from_json(server) for server in fields.get("mcp", ()))
        for name in ("extra", "exact_commands", "secret_names"):
            fields[name] = tuple(fields[name])
        return cls(**fields)


def options_from(
    settings: Settings,
    model: ResolvedModel,
    fallbacks: tuple[ResolvedModel, ...] = (),
    *,
    max_tokens: int | None,
    max_cost_usd: float | None,
) -> AgentOptions:
    """What the settings of a directory say for an agent that works in it; the system prompt comes later."""
    from roocode.interaction.plugins.hooks import plugin_lines

    keys = {config.api_key_env for config in settings.providers.values() if config.api_key_env}
    return AgentOptions(
        model=model,
        system="",
        home=str(settings.places.person),
        state=str(settings.places.home),
        mode=settings.mode,
        rules=settings.rules,
        rule_base=str(settings.places.root),
        extra=tuple(str(path) for path in settings.additional_directories),
        sandbox=settings.sandbox,
        max_turns=settings.max_turns,
        max_seconds=settings.max_seconds,
        max_tokens=max_tokens,
        max_cost_usd=max_cost_usd,
        context=settings.context,
        effort=settings.effort,
        fallbacks=fallbacks,
        secret_names=tuple(sorted(keys)),
        hooks=(*settings.hooks, *plugin_lines(settings.places).hooks),
    )
