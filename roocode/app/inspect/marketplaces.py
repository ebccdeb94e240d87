"""`roocode plugins marketplace`: where plugins can be installed from by name."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TypeAlias, assert_never

from roocode.app.signals import until_signalled
from roocode.interaction.cli.extension_orders import MarketplaceAdd, MarketplaceList, MarketplaceRemove
from roocode.interaction.config.places import Places
from roocode.interaction.plugins import shelf
from roocode.interaction.plugins.finding import Finder
from roocode.interaction.plugins.store import staging
from roocode.interaction.ui.safe_text import judged, visible

MarketplaceOrder: TypeAlias = MarketplaceAdd | MarketplaceList | MarketplaceRemove


def marketplace_order(order: MarketplaceOrder, places: Places) -> int:
    """Carries out one `roocode plugins marketplace` command."""
    match order:
        case MarketplaceAdd():
            _add(places, order)
        case MarketplaceList():
            _list(places, as_json=order.json)
        case MarketplaceRemove():
            return _forget(places, order.name)
        case _:
            assert_never(order)
    return 0


def say(line: str) -> None:
    """Prints one line of text that may be a plugin's or a marketplace's."""
    print(judged(line).replace("\n", "\\n"))


def _add(places: Places, order: MarketplaceAdd) -> None:
    with staging(places) as into:
        finder = Finder(places, into, order.cwd, os.environ)
        found, address, commit = asyncio.run(until_signalled(finder.marketplace(order.source)))
    shelf.add(places, found, address, commit)
    say(f"{found.name}: {len(found.offers)} plugins, from {address}")
    for fault in found.faults:
        say(f"  not offered: {fault}")
    say(f"Install one: roocode plugins install NAME@{found.name}")


def _list(places: Places, *, as_json: bool) -> None:
    found = shelf.shelved(places)
    if as_json:
        rows = [
            {
                "name": each.name,
                "source": str(each.address),
                "commit": each.commit,
                "plugins": len(each.offers),
            }
            for each in found
        ]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for each in found:
        say(f"{each.name}  {each.address}  {len(each.offers)} plugins")
    if not found:
        print("No marketplaces were added: `roocode plugins marketplace add SOURCE` adds one.")


def list_available(places: Places, *, as_json: bool) -> None:
    """What the marketplaces offer, as they were last looked at."""
    rows = [
        {"name": f"{name}@{each.name}", "version": version, "description": about, "source": str(each.address)}
        for each in shelf.shelved(places)
        for name, version, about in each.offers
    ]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        version = f" {row['version']}" if row["version"] else ""
        say(f"{row['name']}{version}  {row['description']}".rstrip())
    if not rows:
        print("Nothing is offered: `roocode plugins marketplace add SOURCE` adds a marketplace.")


def _forget(places: Places, name: str) -> int:
    if shelf.remove(places, name):
        print(f"{visible(name)} is forgotten")
        return 0
    print(f"there is no marketplace {visible(name)!r}", file=sys.stderr)
    return 1
