"""The marketplaces that the person added: one small file of ours, gone with the last of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roocode.interaction.config.places import Places
from roocode.interaction.config.replace import replace_file
from roocode.interaction.plugins.address import Address, from_data, to_data
from roocode.interaction.plugins.marketplace import Marketplace
from roocode.interaction.plugins.store import holding
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

SCHEMA = 1
FILE = ".marketplaces.json"


@frozen
class Shelved:
    """A marketplace, and what it offered when it was last looked at: name, version, description."""

    name: str
    address: Address
    commit: str
    description: str
    offers: tuple[tuple[str, str, str], ...]


def shelved(places: Places) -> tuple[Shelved, ...]:
    """All of them, by name; raises UserError where the file cannot be read."""
    path = _file(places)
    try:
        data = json.loads(path.read_bytes())
        if data["schema"] != SCHEMA:
            raise ValueError("it was written by another version of RooCode")
        return tuple(_decoded(name, each) for name, each in sorted(data["marketplaces"].items()))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be read: {error}", "remove it and add them again") from error


def find(places: Places, name: str) -> Shelved:
    """The marketplace of a name; raises UserError."""
    found = next((each for each in shelved(places) if each.name == name), None)
    if found is None:
        raise UserError(f"there is no marketplace {name!r}", "add it: roocode plugins marketplace add SOURCE")
    return found


def add(places: Places, marketplace: Marketplace, address: Address, commit: str) -> None:
    """Adds a marketplace, or brings it up to date; raises UserError for one of that name from elsewhere."""
    offers = tuple((each.name, each.version, each.description) for each in marketplace.offers)
    new = Shelved(marketplace.name, address, commit, marketplace.description, offers)
    with holding(places):
        others = {each.name: each for each in shelved(places)}
        old = others.get(new.name)
        if old is not None and old.address != address:
            raise UserError(
                f"a marketplace {new.name!r} was added from {old.address}",
                f"roocode plugins marketplace remove {new.name}, then add this one",
            )
        _write(places, (others | {new.name: new}).values())


def remove(places: Places, name: str) -> bool:
    """Forgets a marketplace; False where there is none of that name."""
    with holding(places):
        before = shelved(places)
        left = tuple(each for each in before if each.name != name)
        if len(left) < len(before):
            _write(places, left)
    return len(left) < len(before)


def _file(places: Places) -> Path:
    return places.plugins / FILE


def _write(places: Places, all_: Iterable[Shelved]) -> None:
    marketplaces = {each.name: _encoded(each) for each in all_}
    if not marketplaces:
        _file(places).unlink(missing_ok=True)
        return
    text = json.dumps({"schema": SCHEMA, "marketplaces": marketplaces}, indent=1, ensure_ascii=False)
    replace_file(_file(places), text.encode() + b"\n", mode=0o600)


def _encoded(each: Shelved) -> dict[str, Any]:
    return {
        "source": to_data(each.address),
        "commit": each.commit,
        "description": each.description,
        "plugins": [list(offer) for offer in each.offers],
    }


def _decoded(name: str, data: Any) -> Shelved:
    offers = tuple((str(offer), str(version), str(about)) for offer, version, about in data["plugins"])
    return Shelved(name, from_data(data["source"]), data["commit"], data["description"], offers)
