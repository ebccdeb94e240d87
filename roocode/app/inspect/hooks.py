"""`roocode hooks list` and `show`: every hook of every place, and why one has no effect."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, assert_never

from roocode.app.inspect.hook_words import described
from roocode.app.written_secrets import known_settings
from roocode.interaction.cli.extension_orders import HooksList, HooksOrder, HooksShow, HooksTest
from roocode.interaction.config.foreign import foreign_file
from roocode.interaction.config.places import SCOPES, Places
from roocode.interaction.config.settings import Setting, Settings
from roocode.interaction.config.sources import HOOKS
from roocode.interaction.plugins.hooks import plugin_lines
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.secrets import Secrets
from roocode.tools.hooks.claude import read_any
from roocode.tools.hooks.hook import Hook
from roocode.tools.hooks.reading import CLAUDE


@frozen
class Placed:
    """A hook with the setting that it is; `error` says why it has no effect."""

    hook: Hook
    setting: Setting
    path: str
    owner: str
    error: str = ""


def hooks_order(order: HooksOrder, secrets: Secrets) -> int:
    """Carries out one `roocode hooks` command."""
    settings = known_settings(order.cwd, secrets)
    match order:
        case HooksList():
            _list(settings, as_json=order.json)
        case HooksShow():
            _show(_named(order.name, tuple(placed(settings))))
        case HooksTest():
            from roocode.app.inspect.hook_testing import test_hooks

            return test_hooks(order, settings)
        case _:
            assert_never(order)
    return 0


def placed(settings: Settings) -> Iterator[Placed]:
    """All hooks, in the order in which they fire."""
    for setting in settings.account:
        if setting.key == HOOKS:
            hook = read_any(setting.value, setting.source, own=setting.tier == "user")
            yield Placed(hook, setting, _path(setting, settings.places), setting.tier, setting.ignored)
    for line in plugin_lines(settings.places).hooks:
        setting = Setting(line.tier, HOOKS, line.data, line.source)
        path = settings.places.person / line.source.rpartition(":")[0].removeprefix("~/")
        yield Placed(read_any(line.data, line.source), setting, str(path), "plugin")


def _path(setting: Setting, places: Places) -> str:
    shown = setting.source.rpartition(":")[0]
    files = [place for scope in SCOPES for place in (places.config(scope), foreign_file(places, scope))]
    return next((str(file) for file in files if places.shown(file) == shown), shown)


def _list(settings: Settings, *, as_json: bool) -> None:
    found = tuple(placed(settings))
    hooks_only = (note for note in settings.unheeded if ": hooks" in note)
    for note in (*hooks_only, *plugin_lines(settings.places).unheeded):
        print(visible(note), file=sys.stderr)
    if as_json:
        print(json.dumps([_row(each) for each in found], indent=2, ensure_ascii=False))
        return
    for each in found:
        named = "" if each.hook.name == each.setting.source else f"{each.hook.name}  "
        why = f"   no effect: {each.error}" if each.error else ""
        line = f"{each.hook.kind.name:21}  {named}{described(each.hook)}   ({each.setting.source}){why}"
        print(visible(line).replace("\n", "\\n"))
    if not found:
        print("There are no hooks: add some under `hooks` in ~/.roocode/config.yaml or .roocode/config.yaml.")


def _row(each: Placed) -> dict[str, Any]:
    hook = each.hook
    row: dict[str, Any] = {
        "name": hook.name,
        "source": each.owner,
        "path": each.path,
        "at": each.setting.source,
        "event": hook.kind.name,
        "action": hook.action.kind,
        "does": described(hook),
    }
    if hook.condition is not None:
        row["if"] = hook.condition.text
    elif hook.rule:
        row["if"] = hook.rule
    return row | ({"error": each.error} if each.error else {})


def _named(name: str, found: tuple[Placed, ...]) -> Placed:
    names: Mapping[str, Placed] = {
        key: each for each in reversed(found) for key in (each.setting.source, each.hook.name)
    }
    if name not in names:
        near = get_close_matches(name, names, n=1)
        mend = f"did you mean {near[0]!r}?" if near else "`roocode hooks list` shows what there is"
        raise UserError(f"there is no hook {name!r}", mend)
    return names[name]


def _show(each: Placed) -> None:
    data: Mapping[str, Any] = each.setting.value
    row = _row(each) | {"timeout": each.hook.timeout_s, "as_written": data.get(CLAUDE, data)}
    print(visible(json.dumps(row, indent=2, ensure_ascii=False)))
