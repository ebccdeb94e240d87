"""From the name of a model to the service that answers: address and key always as one pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from roocode.engine.models.catalog import ALIASES, default_model
from roocode.interaction.config.learned import read_learned
from roocode.interaction.config.settings import Platform, Protocol, ProviderConfig, Settings, Transport
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

BUILT_IN: Mapping[str, ProviderConfig] = {
    "anthropic": ProviderConfig("anthropic", "anthropic", api_key_env="ANTHROPIC_API_KEY"),
    "openai": ProviderConfig("openai", "openai", api_key_env="OPENAI_API_KEY"),
}
PUBLIC: Mapping[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
}
BASE_URL_VARIABLE: Mapping[str, str] = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
}

NOTHING_SET = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or configure a provider in ~/.roocode/config.yaml"

_MAX_ALIASES = 8
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@frozen
class ResolvedModel:
    """A model and the way to it. `model` None: the catalog's default for this built-in provider.

    `api_key` is None where none is sent; `key_env` is the variable that it comes from, for messages.
    `learned` and `window` are what a test of this model there found out, `tested` whether there was one;
    `facts` are the sizes and prices that the person has set for it.
    """

    provider: str
    protocol: Protocol
    base_url: str
    api_key: str | None = field(repr=False)
    key_env: str | None
    model: str | None
    transport: Transport
    platform: Platform = "direct"
    learned: Mapping[str, Any] = field(default_factory=dict)
    window: int | None = None
    tested: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


@frozen
class _Access:
    """An address with the key that belongs to it; `chosen` where a person named the address."""

    base_url: str
    key_env: str | None
    key: str | None
    chosen: bool

    @property
    def usable(self) -> bool:
        """Whether a request can be tried: with a key, or where the person's own address needs none."""
        from urllib.parse import urlsplit

        if self.key:
            return True
        return self.chosen and (self.key_env is None or urlsplit(self.base_url).hostname in _LOOPBACK)


def providers(settings: Settings) -> dict[str, ProviderConfig]:
    """The built-in providers and the configured ones, by name; a configured one replaces a built-in one."""
    return {**BUILT_IN, **settings.providers}


def resolve_model(settings: Settings, name: str | None, env: Mapping[str, str]) -> ResolvedModel:
    """Resolves a name as people write it, or what is configured, or the first provider that is usable.

    A name is an alias, `provider/model-id` (the id is sent unchecked), or a provider for its default.
    Raises UserError for a name that is not known, with the nearest one, and where no key is set.
    """
    wanted = name or settings.model
    if wanted is None:
        return _first_usable(settings, env)
    known = providers(settings)
    aliases = {**ALIASES, **settings.aliases}
    provider, model = _split(_unaliased(wanted, aliases), known, aliases)
    config = known[provider]
    access = _access(config, env)
    if not access.usable:
        raise _no_key(config, access)
    if model is None and config.default_model is None and provider not in BUILT_IN:
        raise UserError(f"the provider {provider!r} has no default model", f"write {provider}/MODEL-ID")
    return _resolved(config, access, model, settings)


def resolve_fallbacks(settings: Settings, env: Mapping[str, str]) -> tuple[ResolvedModel, ...]:
    """The models that `fallback_model` names, in order. Raises UserError as `resolve_model` does."""
    names = (settings.fallback_model or "").split(",")
    return tuple(resolve_model(settings, name.strip(), env) for name in names if name.strip())


def usable_providers(settings: Settings, env: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the providers that a request can be sent to, those with a key first.

    One that is set up only half, without an address, is passed over: it is an error where it is asked for.
    """
    whole = {name: config for name, config in providers(settings).items() if _has_address(config)}
    accesses = {name: _access(config, env) for name, config in whole.items()}
    usable = [name for name, access in accesses.items() if access.usable]
    return tuple(sorted(usable, key=lambda name: accesses[name].key is None))


def _first_usable(settings: Settings, env: Mapping[str, str]) -> ResolvedModel:
    usable = usable_providers(settings, env)
    if not usable:
        raise UserError(f"no key is set: {NOTHING_SET}")
    known = providers(settings)
    for name in usable:
        if name in BUILT_IN or known[name].default_model:
            return _resolved(known[name], _access(known[name], env), None, settings)
    raise UserError("no model is chosen", f"set `model: {usable[0]}/MODEL-ID` in ~/.roocode/config.yaml")


def _resolved(
    config: ProviderConfig, access: _Access, model: str | None, settings: Settings
) -> ResolvedModel:
    name = model or config.default_model
    asked = name or default_model(config.name) or ""
    learned = read_learned(settings.places, (config.name, config.protocol, access.base_url, asked))
    return ResolvedModel(
        provider=config.name,
        protocol=config.protocol,
        base_url=access.base_url,
        api_key=access.key,
        key_env=access.key_env,
        model=name,
        transport=config.transport or settings.transport,
        platform=config.platform,
        learned=learned.profile if learned else {},
        window=learned.window if learned else None,
        tested=learned is not None,
        facts=settings.models.get(f"{config.name}/{asked}", {}),
    )


def _unaliased(name: str, aliases: Mapping[str, str]) -> str:
    followed = [name]
    while followed[-1] in aliases:
        followed.append(aliases[followed[-1]])
        if len(followed) > _MAX_ALIASES:
            raise UserError(f"the alias {name!r} leads to itself", "let it name provider/model-id")
    return followed[-1]


def _split(
    name: str, known: Mapping[str, ProviderConfig], aliases: Mapping[str, str]
) -> tuple[str, str | None]:
    from difflib import get_close_matches

    provider, slash, model = name.partition("/")
    if provider in known and (model or not slash):
        return provider, model or None
    if provider in known:
        raise UserError(
            f"{name!r} names no model", f"write {provider}/MODEL-ID, or {provider} for its default"
        )
    if slash:
        what, near = f"unknown provider {provider!r} in {name!r}", get_close_matches(provider, known, n=1)
    else:
        what, near = f"unknown model {name!r}", get_close_matches(name, [*aliases, *known], n=1)
    if near:
        raise UserError(what, f"did you mean {near[0]}{slash}{model}?")
    raise UserError(what, f"write provider/model-id or an alias; providers are {', '.join(known)}")


def _access(config: ProviderConfig, env: Mapping[str, str]) -> _Access:
    """The pair of address and key.

    An address from the environment takes the provider's key, but never one that the configuration gave to
    another address; a configured address takes the key that is named beside it, or none.
    """
    if config.platform != "direct":
        return _Access(config.base_url or "", None, None, chosen=True)
    built_in = BUILT_IN.get(config.name)
    standard = built_in if built_in and config.protocol.startswith(built_in.protocol) else None
    named = env.get(BASE_URL_VARIABLE[config.name]) if standard else None
    if standard and (named or not config.base_url):
        own = config.api_key_env if not config.base_url else None
        key_env = own or standard.api_key_env
        key = _key(key_env, env)
        # Without a key, an address from the environment is asked without one.
        return _Access(named or PUBLIC[config.name], key_env if key or not named else None, key, bool(named))
    if config.base_url:
        return _Access(config.base_url, config.api_key_env, _key(config.api_key_env, env), chosen=True)
    raise UserError(
        f"the provider {config.name!r} has no base_url",
        f"set providers.{config.name}.base_url in ~/.roocode/config.yaml",
    )


def _has_address(config: ProviderConfig) -> bool:
    return bool(config.base_url) or config.platform != "direct" or config.name in BUILT_IN


def _key(variable: str | None, env: Mapping[str, str]) -> str | None:
    return env.get(variable) or None if variable else None


def _no_key(config: ProviderConfig, access: _Access) -> UserError:
    return UserError(
        f"the provider {config.name!r} has no key: {access.key_env} is not set; "
        "set it, or choose another model with --model"
    )
