"""`roocode config`: every value with the place that set it, and one key set."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_never

from roocode.app.written_secrets import known_settings
from roocode.interaction.cli.orders import ConfigGet, ConfigOrder, ConfigPath, ConfigSet, ConfigShow
from roocode.interaction.config.change import set_key
from roocode.interaction.config.explain import defaults, explain, in_words, written
from roocode.interaction.config.places import find_places
from roocode.interaction.config.settings import Setting, Settings
from roocode.interaction.config.sources import ADDITIVE
from roocode.interaction.ui.safe_text import visible
from roocode.security.isolation.secrets import Secrets


def config_order(order: ConfigOrder, secrets: Secrets) -> int:
    """Carries out one `roocode config` command."""
    match order:
        case ConfigShow():
            _show(known_settings(order.cwd, secrets), as_json=order.json)
            return 0
        case ConfigGet():
            return _get(known_settings(order.cwd, secrets), order.key)
        case ConfigSet():
            return _set(order)
        case ConfigPath():
            print(find_places(order.cwd, os.environ).config(order.scope))
            return 0
        case _:
            assert_never(order)


def _show(settings: Settings, *, as_json: bool) -> None:
    if as_json:
        given = [_as_json(setting) for setting in settings.account]
        rest = [{"key": key, "value": value, "tier": "default"} for key, value in defaults(settings)]
        print(json.dumps([*given, *rest], indent=2, ensure_ascii=False))
        return
    for setting in settings.account:
        print(visible(in_words(setting)))
    for key, value in defaults(settings):
        print(f"{key} = {written(value)}   (default)")


def _as_json(setting: Setting) -> dict[str, Any]:
    shown = {
        "key": setting.dotted,
        "value": setting.value,
        "tier": setting.tier,
        "source": setting.source,
        "shadowed_by": setting.shadowed_by,
        "ignored": setting.ignored,
    }
    return {name: value for name, value in shown.items() if value != ""}


def _get(settings: Settings, key: str) -> int:
    value = _value(settings, key)
    if value is None:
        print(f"{key} is not set", file=sys.stderr)
        return 1
    print(visible(written(value)) if sys.stdout.isatty() else written(value))
    return 0


def _value(settings: Settings, key: str) -> Any:
    """The value of a key, or the values of all keys below it by name; None where nothing is set."""
    values: dict[str, Any] = {}
    for setting in explain(settings, key):
        if setting.counts and setting.key in ADDITIVE:
            values.setdefault(setting.dotted, []).append(setting.value)
        elif setting.counts:
            values[setting.dotted] = setting.value
    for dotted, value in defaults(settings):
        if dotted == key or dotted.startswith(f"{key}."):
            values[dotted] = value
    if key in values:
        return values[key]
    if (inner := _inside(values, key)) is not None:
        return inner
    return {dotted.removeprefix(f"{key}."): value for dotted, value in values.items()} or None


def _inside(values: Mapping[str, Any], key: str) -> Any:
    """The part of a value that is a mapping, as one provider is; None where there is none."""
    for dotted, value in values.items():
        if not key.startswith(f"{dotted}."):
            continue
        for name in key.removeprefix(f"{dotted}.").split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return value
    return None


def _set(order: ConfigSet) -> int:
    places = find_places(order.cwd, os.environ)
    changed = set_key(places, order.scope, order.key, order.value)
    print(f"{order.key} is set in {places.shown(Path(changed.path))}", file=sys.stderr)
    if not changed.counts:
        print("it has no effect until the directory is trusted: roocode trust", file=sys.stderr)
    return 0
