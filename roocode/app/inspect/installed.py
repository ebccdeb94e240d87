"""`roocode agents`, `skills` and `teams`: what is installed, where from, and what is not used and why."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from roocode.interaction.cli.orders import InstalledList, InstalledOrder, InstalledShow, Kind
from roocode.interaction.config.data_root import data_root
from roocode.interaction.config.document import parse_document, read_text
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import Places, find_places
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import standing
from roocode.interaction.ui.safe_text import visible
from roocode.protocol import front_matter
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

Source: TypeAlias = Literal["project", "user", "plugin", "shipped"]

PATTERNS: Mapping[Kind, str] = {"skills": "*/SKILL.md", "teams": "*.yaml"}


@frozen
class Installed:
    """A file that defines something. It is used unless `error` or `shadowed_by` (a path) says why not.

    `notes` are what in it is not honoured.
    """

    name: str
    source: Source
    path: Path
    error: str = ""
    shadowed_by: str = ""
    notes: tuple[str, ...] = ()


def installed(kind: Kind, places: Places) -> tuple[Installed, ...]:
    """All that there is of a kind: the project's before the user's before what ships with RooCode."""
    if kind == "agents":
        return _agents(places)
    trusted = standing(places).whole
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
            path = _named(order, found).path
            text = read_text(path, str(path)) or ""
            print(visible(text) if sys.stdout.isatty() else text, end="")
        case _:
            assert_never(order)
    return 0


def _agents(places: Places) -> tuple[Installed, ...]:
    from roocode.app.subagents.found import Definitions

    try:
        verifying = load_settings(places.root, os.environ).enable_verification_agent
    except UserError:
        verifying = False
    return tuple(
        Installed(each.name, each.owner, each.path, each.error, each.shadowed_by, each.notes)
        for each in Definitions(places, verifying=verifying).found()
    )


def _folders(kind: Kind, places: Places) -> Iterator[tuple[Source, Path]]:
    yield "project", places.root / ".roocode" / kind
    yield "user", places.home / kind
    yield "shipped", data_root() / kind


def _read(kind: Kind, source: Source, path: Path) -> Installed:
    """The name inside a file, or that of the file where it says none or cannot be read."""
    fallback = path.parent.name if kind == "skills" else path.stem
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
    if each.notes:
        row["notes"] = list(each.notes)
    return row | {key: value for key in ("error", "shadowed_by") if (value := getattr(each, key))}


def _named(order: InstalledShow, found: tuple[Installed, ...]) -> Installed:
    matching = [each for each in found if each.name == order.name]
    if not matching:
        near = get_close_matches(order.name, {each.name for each in found}, n=1)
        mend = f"did you mean {near[0]!r}?" if near else f"`roocode {order.kind} list` shows what there is"
        raise UserError(f"there is no {order.kind.removesuffix('s')} {order.name!r}", mend)
    return next((each for each in matching if not each.error and not each.shadowed_by), matching[0])
