"""`roocode trust`: shows what of a directory would take effect, then asks."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import assert_never

from roocode.app.inspect.agreeing import agreed
from roocode.interaction.cli.orders import TrustDirectory, TrustList, TrustOrder, TrustRevoke
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import SCOPES, Places, find_places
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import NEVER
from roocode.interaction.config.trust import (
    UNFIT,
    effective_files,
    revoke,
    standing,
    trust,
    trusted_directories,
)
from roocode.interaction.mcp.found import PROJECT_FILE, find_servers
from roocode.interaction.ui.safe_text import visible


def trust_order(order: TrustOrder) -> int:
    """Carries out one `roocode trust` command; 1 where the person said no or nothing was to revoke."""
    match order:
        case TrustDirectory():
            return _trust(order)
        case TrustList():
            for record in trusted_directories(find_places(order.cwd, os.environ)):
                print(visible(f"{record.directory}\t{record.since}\t{len(record.files)} files"))
            return 0
        case TrustRevoke():
            return _revoke(order.directory)
        case _:
            assert_never(order)


def _trust(order: TrustDirectory) -> int:
    root = find_places(order.directory, os.environ).root
    files = effective_files(root)
    settings = load_settings(order.directory, os.environ)
    places = settings.places
    if settings.trusted:
        print(f"{visible(str(root))} is trusted already")
        return 0
    for line in _account(settings, files):
        print(visible(line).replace("\n", "\\n"))
    if _changed_since(root, files):
        return 1
    if not order.yes and not agreed(f"Trust {visible(str(root))}?"):
        print("not trusted", file=sys.stderr)
        return 1
    trust(places, files)
    if _changed_since(root, files):
        return 1
    print(f"{visible(str(root))} is trusted, until one of these files changes")
    return 0


def _changed_since(root: Path, shown: Mapping[str, str]) -> bool:
    """Whether what is there is not what was shown; the record holds for what was shown alone."""
    now = effective_files(root)
    changed = sorted(path for path in now.keys() | shown.keys() if now.get(path) != shown.get(path))
    if changed:
        names = visible(", ".join(changed)).replace("\n", "\\n")
        print(f"not trusted: changed while it was shown: {names}", file=sys.stderr)
    return bool(changed)


def _account(settings: Settings, files: Mapping[str, str]) -> Iterator[str]:
    """What would take effect, in lines: settings by value, other files by name."""
    if not files:
        yield "Nothing in this directory is read as configuration now."
        yield "Trusted, a team may run its tests by itself; RooCode asks again when configuration appears."
        return
    changed = standing(settings.places).changed
    if changed:
        yield f"Changed since it was trusted: {', '.join(changed)}"
    yield "These files would take effect:"
    own = {settings.places.shown(settings.places.config(scope)) for scope in SCOPES if scope != "user"}
    for path in sorted(files):
        unfit = files[path].removeprefix(UNFIT) if files[path].startswith(UNFIT) else ""
        if unfit or path not in own:
            yield f"  {path}{f'   cannot be trusted: {unfit}' if unfit else ''}"
    for setting in settings.account:
        if setting.tier in ("project", "local") and setting.ignored != NEVER:
            yield f"  {setting.source}  {setting.dotted}: {setting.value}"
    yield from _servers(settings)
    yield from (f"  {note}" for note in settings.notes if note.endswith(NEVER))


def _servers(settings: Settings) -> Iterator[str]:
    """What would be started or reached by the project's `.mcp.json`."""
    for found in find_servers(settings, os.environ):
        if found.place.startswith(PROJECT_FILE) and found.config is not None:
            config = found.config
            names = sorted({*config.env, *config.headers})
            more = f"   with {', '.join(names)}" if names else ""
            where = shlex.join(config.argv) or config.url
            yield f"  {found.place}  MCP server {found.name}: {where}{more}"


def _revoke(directory: Path) -> int:
    places: Places = find_places(directory, os.environ)
    if revoke(places, directory) or revoke(places, places.root):
        print(f"{directory} is trusted no more")
        return 0
    print(f"{directory} was not trusted", file=sys.stderr)
    return 1
