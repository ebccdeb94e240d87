"""Which model a sub-agent asks: its definition's, where that can be had, and else its parent's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roocode.app.options import AgentOptions
from roocode.engine.models.catalog import ALIASES, small_model
from roocode.engine.subagents.fields import INHERIT
from roocode.interaction.config.providers import ResolvedModel, resolve_model
from roocode.interaction.config.settings import Settings
from roocode.protocol.errors import ModelError, UserError

SMALL = frozenset({"small", "haiku"})

Settle = Callable[[], Settings]


class Models:
    """Resolves names as definitions and calls say them; `settings` are read when the first one is."""

    def __init__(self, options: AgentOptions, settings: Settle, env: Mapping[str, str]) -> None:
        self._parent = options.model
        self._settings = settings
        self._env = env

    def of_definition(self, name: str) -> ResolvedModel:
        """The model that a definition names; the parent's where this one has no such model."""
        if name == INHERIT:
            return self._parent
        try:
            found = self._resolved(name)
        except UserError:
            return self._parent
        is_named = "/" in name or name in self._settings().aliases or name == "small"
        return found if is_named or found.provider == self._parent.provider else self._parent

    def of_call(self, name: str) -> ResolvedModel:
        """The model that a call names. Raises ModelError where there is none."""
        if name == INHERIT:
            return self._parent
        try:
            return self._resolved(name)
        except UserError as error:
            raise ModelError(f"model: {error}") from error

    def _resolved(self, name: str) -> ResolvedModel:
        settings = self._settings()
        if name in SMALL and name not in settings.aliases:
            small = settings.small_model or self._small()
            return self._parent if small is None else resolve_model(settings, small, self._env)
        if "/" not in name and name not in settings.aliases and name not in ALIASES:
            name = self._beside(name)
        return resolve_model(settings, name, self._env)

    def _small(self) -> str | None:
        name = small_model(self._parent.provider)
        return f"{self._parent.provider}/{name}" if name else None

    def _beside(self, name: str) -> str:
        """A bare id, as `claude-…`, is one of the parent's provider where that makes models of this name."""
        families = {"anthropic": ("claude-",), "openai": ("gpt-", "o1", "o3", "o4")}
        known = families.get(self._parent.provider, ())
        return f"{self._parent.provider}/{name}" if name.startswith(known) and known else name
