"""Makes the settings of one working directory out of everything that set something."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roocode.interaction.config.document import KeyPath
from roocode.interaction.config.foreign import read_foreign
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.settings import (
    Command,
    ContextSettings,
    HookLine,
    ProviderConfig,
    RuleLine,
    RuleTier,
    Setting,
    Settings,
    SubAgentSettings,
    TeamSettings,
    Tier,
    WorktreeSettings,
)
from roocode.interaction.config.sources import (
    ADDITIVE,
    DIRECTORIES,
    HOOKS,
    NEVER,
    RULES,
    SANDBOX,
    UNTRUSTED,
    Flag,
    read_settings,
)
from roocode.interaction.config.trust import Standing, standing
from roocode.protocol.decisions import Verdict
from roocode.protocol.errors import UserError

_RULE_TIERS: Mapping[Tier, RuleTier] = {
    "user": "user",
    "project": "project",
    "local": "local",
    "flag": "session",
}
_VERDICTS: Mapping[KeyPath, Verdict] = dict(zip(RULES, ("allow", "ask", "deny"), strict=True))
ASK_TIMEOUT_S = 600
AUTO_BACKGROUND_S = 120
_NOT_RUN = ("worktree",)


def load_settings(cwd: Path, env: Mapping[str, str], flags: Sequence[Flag] = ()) -> Settings:
    """Reads files, environment and flags for a working directory.

    Raises UserError for a broken file or an unknown key, with file and line.
    """
    places = find_places(cwd, env)
    stand = standing(places)
    foreign = read_foreign(places, stand)
    account = _shadowed([*foreign.settings, *read_settings(places, env, flags, stand)])
    winners = {each.key: each for each in account if each.counts and each.key not in ADDITIVE}
    value = {key: each.value for key, each in winners.items()}.get
    return Settings(
        places=places,
        trusted=stand.whole,
        model=value(("model",)),
        fallback_model=value(("fallback_model",)),
        small_model=value(("small_model",)),
        effort=value(("effort",)),
        providers={
            str(name): ProviderConfig(name=str(name), **each) for name, each in _named(winners, "providers")
        },
        aliases={str(name): each for name, each in _named(winners, "aliases")},
        models={str(name): each for name, each in _named(winners, "models")},
        mode=value(("permissions", "mode"), "default"),
        ask_timeout_s=_seconds(value(("permissions", "ask_timeout"), ASK_TIMEOUT_S)),
        rules=tuple(_rules(account)),
        additional_directories=tuple(_directories(account, places)),
        team=_team(winners, account),
        subagents=SubAgentSettings(
            value(("subagents", "max_running"), SubAgentSettings().max_running),
            _seconds(value(("subagents", "auto_background"), AUTO_BACKGROUND_S)),
        ),
        enable_verification_agent=value(("enable_verification_agent",), False),
        worktree=_worktree(winners),
        context=_context(winners),
        transport=value(("transport",), "http"),
        max_turns=value(("max_turns",), 50),
        max_seconds=value(("max_seconds",)),
        sandbox=value(SANDBOX, "auto"),
        hooks=tuple(
            HookLine(each.value, each.source, each.tier)
            for each in account
            if each.counts and each.key == HOOKS
        ),
        notes=(*_notes(account, stand), *foreign.errors),
        unheeded=foreign.unheeded,
        rule_errors=foreign.errors,
        account=account,
    )


def _seconds(value: int | str) -> float | None:
    return None if value == "off" else float(value)


def _shadowed(found: Sequence[Setting]) -> tuple[Setting, ...]:
    """Marks the values that a later place overrides."""
    winners = {each.key: each for each in found if not each.ignored and each.key not in ADDITIVE}
    return tuple(
        replace(each, shadowed_by=winners[each.key].source)
        if each.key in winners and winners[each.key] is not each and not each.ignored
        else each
        for each in found
    )


def _named(winners: Mapping[KeyPath, Setting], key: str) -> Iterator[tuple[str | int, Any]]:
    return ((each.key[1], each.value) for each in winners.values() if each.key[0] == key)


def _rules(account: Sequence[Setting]) -> Iterator[RuleLine]:
    for each in account:
        if each.key in _VERDICTS and each.counts:
            yield RuleLine(_VERDICTS[each.key], each.value, _RULE_TIERS[each.tier], each.source)


def _directories(account: Sequence[Setting], places: Places) -> Iterator[Path]:
    for each in account:
        if each.key == DIRECTORIES and each.counts:
            spelled = str(each.value)
            path = places.person / spelled[2:] if spelled.startswith("~/") else Path(spelled)
            yield Path(os.path.realpath(places.root / path))


def _context(winners: Mapping[KeyPath, Setting]) -> ContextSettings:
    """Raises UserError where the shares are not in the order in which they are reached."""
    settings = ContextSettings(
        **{str(key[1]): each.value for key, each in winners.items() if key[0] == "context"}
    )
    shares = (settings.warning, settings.clearing, settings.summary, settings.full)
    if list(shares) != sorted(shares, reverse=True):
        places = ", ".join(each.source for key, each in winners.items() if key[0] == "context")
        raise UserError(
            f"{places}: the shares under `context` do not fall: {' '.join(map(str, shares))}",
            "keep the order: warning >= clearing >= summary >= full",
        )
    return settings


def _team(winners: Mapping[KeyPath, Setting], account: Sequence[Setting]) -> TeamSettings:
    value = {
        str(key[1]): each.value for key, each in winners.items() if key[0] == "team" and key[1] != "verify"
    }
    withheld = (each.source for each in account if each.key == ("team", "verify") and each.ignored)
    return TeamSettings(
        verify=_command(winners.get(("team", "verify"))), verify_withheld=next(withheld, ""), **value
    )


def _worktree(winners: Mapping[KeyPath, Setting]) -> WorktreeSettings:
    def items(name: str) -> tuple[str, ...]:
        found = winners.get(("worktree", name))
        return tuple(found.value) if found else ()

    return WorktreeSettings(items("copy"), items("symlink"), _command(winners.get(("worktree", "setup"))))


def _command(setting: Setting | None) -> Command | None:
    return Command(setting.value, setting.source) if setting and setting.value else None


def _notes(account: Sequence[Setting], stand: Standing) -> Iterator[str]:
    withheld = sorted({each.source.rpartition(":")[0] for each in account if each.ignored == UNTRUSTED})
    if withheld:
        why = f"changed since you trusted it: {', '.join(stand.changed)}" if stand.changed else "not trusted"
        yield (
            f"{' and '.join(withheld)}: only its deny rules count, the directory is {why}"
            " (`roocode trust` shows what would take effect)"
        )
    for each in account:
        if each.ignored == NEVER:
            yield f"{each.source}: {each.dotted} is {NEVER}"
        elif each.counts and each.key[0] in _NOT_RUN and each.value is not False:
            yield f"{each.source}: {each.dotted} is not supported by this version and has no effect"
