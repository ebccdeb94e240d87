"""`roocode plugins`: shows what is installed, and installs what the person agrees to."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, assert_never

from roocode.app.inspect.agreeing import agreed
from roocode.app.inspect.marketplaces import list_available, marketplace_order, say
from roocode.app.signals import until_signalled
from roocode.interaction.cli.extension_orders import (
    MarketplaceAdd,
    MarketplaceList,
    MarketplaceRemove,
    PluginsInstall,
    PluginsList,
    PluginsOrder,
    PluginsRemove,
    PluginsShow,
)
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.plugins.finding import Candidate, Finder
from roocode.interaction.plugins.install import changes, install, recorded, remove
from roocode.interaction.plugins.installed import Plugin, installed
from roocode.interaction.plugins.marketplace import Marketplace, lines_of
from roocode.interaction.plugins.record import Record
from roocode.interaction.plugins.store import staging
from roocode.interaction.ui.safe_text import visible
from roocode.protocol.errors import UserError

SHORT = 12


def plugins_order(order: PluginsOrder) -> int:
    """Carries out one `roocode plugins` command."""
    places = find_places(order.cwd, os.environ)
    match order:
        case PluginsList():
            if order.available:
                list_available(places, as_json=order.json)
            else:
                _list(places, as_json=order.json)
        case PluginsShow():
            _show(_named(places, order.name), as_json=order.json)
        case PluginsInstall():
            return _install(places, order)
        case PluginsRemove():
            return _remove(places, order.name)
        case MarketplaceAdd() | MarketplaceList() | MarketplaceRemove():
            return marketplace_order(order, places)
        case _:
            assert_never(order)
    return 0


def _list(places: Places, *, as_json: bool) -> None:
    found = installed(places)
    if as_json:
        print(json.dumps([_row(each) for each in found], indent=2, ensure_ascii=False))
        return
    for each in found:
        why = f"   not used: {each.error}" if each.error else ""
        say(f"{each.name}  {_origin(each.record)}{why}")
        for note in _notes(each.record):
            say(f"    not honoured: {note}")
    if not found:
        print("No plugins are installed: `roocode plugins install SOURCE` adds one.")


def _row(each: Plugin) -> dict[str, Any]:
    record = each.record
    row: dict[str, Any] = {
        "name": each.name,
        "source": str(record.address) if record else "",
        "path": str(each.root),
    }
    if record:
        row |= {
            "version": record.manifest.version,
            "commit": record.commit,
            "digest": record.digest,
            "marketplace": record.marketplace,
            "not_honoured": list(_notes(record)),
        }
    return row | ({"error": each.error} if each.error else {})


def _origin(record: Record | None) -> str:
    if record is None:
        return "?"
    version = f"{record.manifest.version}  " if record.manifest.version else ""
    commit = f" at {record.commit[:SHORT]}" if record.commit else ""
    return f"{version}{record.address}{commit}"


def _notes(record: Record | None) -> tuple[str, ...]:
    return (*record.notes, *record.manifest.unheeded) if record else ()


def _named(places: Places, name: str) -> Plugin:
    found = installed(places)
    for each in found:
        if each.name == name:
            return each
    near = get_close_matches(name, [each.name for each in found], n=1)
    mend = f"did you mean {near[0]!r}?" if near else "`roocode plugins list` shows what there is"
    raise UserError(f"there is no plugin {name!r}", mend)


def _show(plugin: Plugin, *, as_json: bool) -> None:
    record = plugin.record
    if as_json:
        more = {"brings": record.brings, "can_run": record.runs, "installed": record.since} if record else {}
        print(json.dumps(_row(plugin) | more, indent=2, ensure_ascii=False))
        return
    say(f"{plugin.name}  {_origin(record)}")
    if plugin.error:
        say(f"not used: {plugin.error}   (roocode plugins install it again, or remove it)")
    if record is not None:
        for line in _account(record.manifest.description, record.brings, record.runs, _notes(record)):
            say(line)
        say(f"installed {record.since} in {plugin.root}")


def _account(
    description: str, brings: tuple[str, ...], runs: tuple[str, ...], notes: tuple[str, ...]
) -> Iterator[str]:
    if description:
        yield f"  {description}"
    yield "It brings:"
    yield from (f"  {line}" for line in brings)
    if runs:
        yield "What of it can run, ask for rights or be reached:"
        yield from (f"  {line}" for line in runs)
    else:
        yield "Nothing of it runs."
    if notes:
        yield "Not honoured:"
        yield from (f"  {note}" for note in notes)


def _install(places: Places, order: PluginsInstall) -> int:
    with staging(places) as into:
        finder = Finder(places, into, order.cwd, os.environ)
        found = asyncio.run(until_signalled(finder.plugin(order.source, order.plugin)))
        if isinstance(found, Marketplace):
            return _offer(found, order.source)
        before = recorded(places, found.manifest.name)
        if before is not None and _is_up_to_date(places, before, found):
            say(f"{before.name} is up to date: {_origin(before)}")
            return 0
        for line in _proposal(places, before, found):
            say(line)
        name = visible(found.manifest.name)
        if not order.yes and not agreed(f"{'Update' if before else 'Install'} {name}?"):
            print("not installed", file=sys.stderr)
            return 1
        record = install(places, found, into=into, before=before)
    by = f" (by the marketplace {record.marketplace})" if record.marketplace else ""
    say(f"{record.name} is installed, until its files change: {_origin(record)}{by}")
    return 0


def _is_up_to_date(places: Places, before: Record, found: Candidate) -> bool:
    same = (before.commit, before.address, before.brings, before.runs) == (
        found.commit,
        found.address,
        found.account.brings,
        found.account.runs,
    )
    return same and not any(changes(places, before, found)) and not _named(places, before.name).error


def _proposal(places: Places, before: Record | None, found: Candidate) -> Iterator[str]:
    """What would be installed, from where, and what an update changes."""
    manifest = found.manifest
    commit = f" at commit {found.commit}" if found.commit else ""
    by = f" (by the marketplace {found.marketplace})" if found.marketplace else ""
    author = f", by {manifest.author}" if manifest.author else ""
    yield f"{manifest.name} {manifest.version}".rstrip() + author
    yield f"  from {found.address}{commit}{by}"
    notes = (*found.notes, *manifest.unheeded)
    yield from _account(manifest.description, found.account.brings, found.account.runs, notes)
    if before is not None:
        yield f"It replaces {_origin(before)}. What changes:"
        if before.address != found.address:
            yield f"  its source: {before.address} → {found.address}"
        yield from (f"  {line}" for line in changes(places, before, found))


def _offer(found: Marketplace, source: str) -> int:
    say(f"{source} is a marketplace, {found.name}, with these plugins:")
    for line in lines_of(found):
        say(f"  {line}")
    say(f"Install one: roocode plugins install {source} --plugin NAME")
    return 1


def _remove(places: Places, name: str) -> int:
    _named(places, name)
    remove(places, name)
    print(f"{visible(name)} is removed, with its data")
    return 0
