"""Finds the plugin that a person names: at an address, or by way of a marketplace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from roocode.interaction.config.places import Places
from roocode.interaction.plugins import shelf
from roocode.interaction.plugins.account import Account, account_of
from roocode.interaction.plugins.address import Address, parse_address
from roocode.interaction.plugins.manifest import FILES, read_manifest
from roocode.interaction.plugins.marketplace import Marketplace, Offer, read_marketplace, source_of
from roocode.interaction.plugins.origin import Origin, open_origin
from roocode.interaction.plugins.parts import Manifest
from roocode.interaction.plugins.tree import Tree
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

_BY_NAME = re.compile(r"([A-Za-z0-9][\w.-]*)@([A-Za-z0-9][\w.-]*)")


@frozen
class Candidate:
    """A plugin in memory: nothing of it is installed, and nothing of it has run."""

    address: Address
    commit: str
    tree: Tree
    manifest: Manifest
    account: Account
    notes: tuple[str, ...] = ()
    marketplace: str = ""


class Finder:
    """Reads what lies at addresses, into folders below `into`, with the person's git and environment."""

    def __init__(self, places: Places, into: Path, cwd: Path, environ: Mapping[str, str]) -> None:
        self._places, self._into, self._cwd, self._environ = places, into, cwd, environ

    async def plugin(self, source: str, name: str = "") -> Candidate | Marketplace:
        """The plugin that `source` names; a marketplace where it is one of several plugins and none is named.

        Raises UserError and HostError.
        """
        if named := _BY_NAME.fullmatch(source):
            address = shelf.find(self._places, named[2]).address
            name = name or named[1]
        else:
            address = parse_address(source, self._cwd)
        origin = await self._open(address)
        market = await read_marketplace(origin, address.folder)
        if name or (market is not None and not await _has_manifest(origin, address.folder)):
            if market is None:
                raise UserError(f"{address} is no marketplace", "leave --plugin away, or name a marketplace")
            if not name and len(market.offers) != 1:
                return market
            offer = market.offer(name) if name else market.offers[0]
            return await self._offered(offer, market, address, origin)
        return await self._read(origin, address, None, "")

    async def marketplace(self, source: str) -> tuple[Marketplace, Address, str]:
        """The marketplace at an address, with the address and the commit."""
        address = parse_address(source, self._cwd)
        origin = await self._open(address)
        found = await read_marketplace(origin, address.folder)
        if found is None:
            raise UserError(
                f"{address} is no marketplace: it has no .claude-plugin/marketplace.json",
                "install a plugin from there: roocode plugins install SOURCE",
            )
        return found, address, origin.commit

    async def _offered(
        self, offer: Offer, market: Marketplace, address: Address, origin: Origin
    ) -> Candidate:
        lies = source_of(offer, market, address)
        if (lies.kind, lies.place, lies.ref) != (address.kind, address.place, address.ref):
            origin = await self._open(lies)
        return await self._read(origin, lies, offer, market.name)

    async def _open(self, address: Address) -> Origin:
        folder = self._into / f"source-{len(list(self._into.iterdir()))}"
        folder.mkdir(mode=0o700)
        return await open_origin(address, into=folder, cwd=self._cwd, environ=self._environ)

    async def _read(
        self, origin: Origin, address: Address, offer: Offer | None, marketplace: str
    ) -> Candidate:
        read = await origin.read(address.folder)
        if read is None or not read.tree:
            raise UserError(f"{address} holds no files", "name a directory that does")
        fallback = offer.name if offer else address.name
        manifest = read_manifest(read.tree, fallback=fallback, entry=offer.entry if offer else None)
        account = account_of(read.tree, manifest)
        if not account.brings:
            why = "; ".join((*account.faults, *manifest.unheeded)) or "it is empty"
            raise UserError(
                f"{manifest.name} brings nothing that RooCode uses: {why}", "nothing was installed"
            )
        notes = (*read.notes, *account.faults)
        return Candidate(address, origin.commit, read.tree, manifest, account, notes, marketplace)


async def _has_manifest(origin: Origin, folder: str) -> bool:
    for file in FILES:
        place, _, name = file.partition("/")
        read = await origin.read(f"{folder}/{place}" if folder else place)
        if read is not None and name in read.tree:
            return True
    return False
