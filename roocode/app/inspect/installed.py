"""`roocode agents`, `skills`, `commands`, `teams`: what is installed, where from, what is unused and why."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, assert_never

from roocode.interaction.cli.extension_orders import InstalledList, InstalledOrder, InstalledShow, Kind
from roocode.interaction.config.data_root import data_root
from roocode.interaction.config.document import parse_document, read_text
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import standing
from roocode.interaction.extensions.found import Found
from roocode.interaction.extensions.places import Owner
from roocode.interaction.plugins.installed import plugin_folders
from roocode.interaction.skills.discover import find_commands, find_skills
from roocode.interaction.ui.safe_text import visible
from roocode.protocol import front_matter
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

PATTERNS: Mapping[Literal["teams"], str] = {"teams": "*.yaml"}


@frozen
class Installed:
    """A file that defines something. It is used unless `error` or `shadowed_by` (a path) says why not.

    `notes` are what in it is not honoured.
    """

    name: str
    source: Owner
    path: Path
    error: str = ""
    shadowed_by: str = ""
    notes: tuple[str, ...] = ()


def installed(kind: Kind, places: Places) -> tuple[Installed, ...]:
    """All that there is of a kind: the project's before the user's before what ships with RooCode."""
    now = standing(places)
    if kind == "agents":
        return _agents(places)
    if kind == "skills":
        return tuple(map(_installed, find_skills(places, now, plugin_folders("skills", places))))
    if kind == "commands":
        return tuple(map(_installed, find_commands(places, now, plugin_folders("commands", places))))
    trusted = now.whole
    found: list[Installed] = []
    winners: dict[str, Installed] = {}
    for source, folder in _folders(kind, places):
        for path in sorted(folder.glob(PATTERNS[kind])):
            each = _read(kind, source, path)
            if not each.error and source == "project" and not trusted:
                each = replace(each, error=UNTRUSTED)
            if not each.error:
                winner = winners.setdefault(each.name, each)
                each = each if winner is each else replace(each, shadowed_by=str(winner.path))
            found.append(each)
    return tuple(found)


def installed_order(order: InstalledOrder) -> int:
    """Carries out `list` or `show`."""
    places = find_places(order.cwd, os.environ)
    found = installed(order.kind, places)
    match order:
        case InstalledList():
            _list(found, as_json=order.json)
        case InstalledShow():
            each = _named(order, found)
            text = read_text(each.path, str(each.path)) or ""
            print(visible(text) if sys.stdout.isatty() else text, end="")
            for note in each.notes:
                print(visible(f"note: {note}"), file=sys.stderr)
        case _:
            assert_never(order)
    return 0


def _installed(found: Found[Any]) -> Installed:
    return Installed(found.name, found.owner, found.path, found.error, found.shadowed_by, found.notes)


def _agents(places: Places) -> tuple[Installed, ...]:
    from roocode.app.subagents.found import Definitions

    try:
        verifying = load_settings(places.root, os.environ).enable_verification_agent
    except UserError:
        verifying = False
    return tuple(map(_installed, Definitions(places, verifying=verifying).found()))


def _folders(kind: Literal["teams"], places: Places) -> Iterator[tuple[Owner, Path]]:
    yield "project", places.root / ".roocode" / kind
    yield "user", places.home / kind
    yield "shipped", data_root() / kind


def _read(kind: Literal["teams"], source: Owner, path: Path) -> Installed:
    """The name inside a file, or that of the file where it says none or cannot be read."""
    fallback = path.stem
    try:
        text = read_text(path, path.name) or ""
        head = text if kind == "teams" else front_matter.split(text)[0]
        named = parse_document(head, path.name).data.get("name", fallback)
    except UserError as error:
        return Installed(fallback, source, path, error=error.what)
    return Installed(str(named), source, path)


def _list(found: tuple[Installed, ...], *, as_json: bool) -> None:
    rows = [_row(each) for each in found]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        why = each.error or (f"{each.shadowed_by} is used" if each.shadowed_by else "")
        line = f"{each.name:{width}}  {each.source:7}  {each.path}" + (f"   not used: {why}" if why else "")
        for text in (line, *(f"{'':{width}}  note: {note}" for note in each.notes)):
            print(visible(text).replace("\n", "\\n"))


def _row(each: Installed) -> dict[str, object]:
    row: dict[str, object] = {"name": each.name, "source": each.source, "path": str(each.path)}
    return row | {key: value for key in ("error", "shadowed_by", "notes") if (value := getattr(each, key))}


def _named(order: InstalledShow, found: tuple[Installed, ...]) -> Installed:
    matching = [each for each in found if each.name == order.name]
    if not matching:
        near = get_close_matches(order.name, {each.name for each in found}, n=1)
        mend = f"did you mean {near[0]!r}?" if near else f"`roocode {order.kind} list` shows what there is"
        raise UserError(f"there is no {order.kind.removesuffix('s')} {order.name!r}", mend)
    return next((each for each in matching if not each.error and not each.shadowed_by), matching[0])
