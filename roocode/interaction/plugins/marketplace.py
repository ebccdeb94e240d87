"""Marketplaces: files that list plugins and where each comes from. What they say is data of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roocode.interaction.plugins.address import Address, checked_folder, checked_ref, parse_address
from roocode.interaction.plugins.manifest import checked_name, read_json
from roocode.interaction.plugins.origin import Origin
from roocode.interaction.ui.safe_text import on_one_line, visible
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

FILE = "marketplace.json"
PLACES = (".roocode-plugin", ".claude-plugin")
MOST_OFFERS = 5_000
_MEND = "ask its owner to mend it"


@frozen
class Offer:
    """A plugin that a marketplace lists; `entry` is all that it says of it."""

    name: str
    version: str
    description: str
    entry: Mapping[str, Any]


@frozen
class Marketplace:
    """What a marketplace file says. `faults` are the entries that are not offered, and why."""

    name: str
    owner: str
    description: str
    offers: tuple[Offer, ...]
    faults: tuple[str, ...] = ()
    base: str = ""

    def offer(self, name: str) -> Offer:
        """The plugin of a name; raises UserError with the nearest one."""
        from difflib import get_close_matches

        for each in self.offers:
            if each.name == name:
                return each
        near = get_close_matches(name, [each.name for each in self.offers], n=1)
        mend = (
            f"did you mean {near[0]!r}?" if near else "`roocode plugins list --available` shows what there is"
        )
        raise UserError(f"the marketplace {self.name} has no plugin {name!r}", mend)


async def read_marketplace(origin: Origin, folder: str) -> Marketplace | None:
    """The marketplace at the top of a folder; None where there is none. Raises UserError."""
    for place in PLACES:
        read = await origin.read(f"{folder}/{place}" if folder else place)
        if read is not None and FILE in read.tree:
            return _marketplace(read_json(read.tree, FILE))
    return None


def source_of(offer: Offer, marketplace: Marketplace, at: Address) -> Address:
    """Where an offered plugin lies; inside the marketplace it is the same place with another folder.

    A marketplace leads to hosts and into itself, never to this disk. Raises UserError.
    """
    source = offer.entry.get("source")
    if isinstance(source, str):
        return _inside(source, marketplace, at)
    if not isinstance(source, dict):
        raise UserError(f"{offer.name}: the marketplace does not say where it lies", _MEND)
    kind = str(source.get("source", ""))
    ref = str(source.get("sha") or source.get("ref") or "")
    text = source.get("repo") if kind == "github" else source.get("url")
    if kind not in ("github", "url", "git", "git-subdir") or not isinstance(text, str):
        raise UserError(
            f"{offer.name}: its source {visible(kind or str(source))[:80]!r} is not supported",
            "RooCode installs from git and from directories; look for the plugin's repository",
        )
    found = parse_address(text, Path("/nonexistent"))
    if found.kind != "host":
        raise UserError(f"{offer.name}: the marketplace leads to {found}, on this disk", "do not trust it")
    folder = str(source.get("path") or found.folder)
    return replace(found, ref=checked_ref(ref or found.ref), folder=checked_folder(folder))


def _inside(source: str, marketplace: Marketplace, at: Address) -> Address:
    if "://" in source or source.startswith(("/", "~")):
        raise UserError(f"the marketplace leads to {visible(source)!r}, out of itself", "do not trust it")
    base = "" if source.startswith("./") or source == "." else marketplace.base
    inner = checked_folder("/".join(part for part in (base, source) if part))
    return replace(at, folder="/".join(part for part in (at.folder, inner) if part))


def _marketplace(data: Any) -> Marketplace:
    if not isinstance(data, dict) or not isinstance(data.get("plugins"), list):
        raise UserError("marketplace.json has no list `plugins`", _MEND)
    owner = data.get("owner")
    metadata = data.get("metadata")
    about: Mapping[str, Any] = metadata if isinstance(metadata, dict) else {}
    offers: dict[str, Offer] = {}
    faults: list[str] = []
    for entry in data["plugins"][:MOST_OFFERS]:
        try:
            offer = _offer(entry)
        except UserError as error:
            faults.append(error.what)
            continue
        if offers.setdefault(offer.name, offer) is not offer:
            faults.append(f"{offer.name} stands twice: the first counts")
    return Marketplace(
        checked_name(data.get("name")),
        _text(owner.get("name") if isinstance(owner, dict) else owner),
        _text(data.get("description") or about.get("description")),
        tuple(offers.values()),
        tuple(faults),
        checked_folder(str(about.get("pluginRoot") or "")),
    )


def _offer(entry: Any) -> Offer:
    if not isinstance(entry, dict):
        raise UserError(f"{visible(str(entry))[:80]} is no plugin")
    name = checked_name(entry.get("name"))
    return Offer(name, _text(entry.get("version")), _text(entry.get("description")), entry)


def _text(value: Any) -> str:
    return on_one_line(str(value))[:1000] if isinstance(value, str | int | float) else ""


def lines_of(marketplace: Marketplace) -> Iterator[str]:
    """What it offers, a line each."""
    for offer in marketplace.offers:
        version = f" {offer.version}" if offer.version else ""
        yield f"{offer.name}{version}  {offer.description}".rstrip()
    yield from (f"not offered: {fault}" for fault in marketplace.faults)
