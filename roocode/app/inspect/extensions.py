"""What was found of extensions, by kind: what is used, shadowed or not used, and what is not honoured."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roocode.app.subagents.found import SWITCHED_OFF, Definitions
from roocode.interaction.config.foreign import foreign_file
from roocode.interaction.config.places import SCOPES, Places
from roocode.interaction.config.settings import Setting, Settings
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import standing
from roocode.interaction.extensions.found import Found
from roocode.interaction.extensions.places import ExtensionKind
from roocode.interaction.mcp.found import find_servers
from roocode.interaction.plugins.hooks import plugin_lines
from roocode.interaction.plugins.installed import (
    installed,
    plugin_folders,
)
from roocode.interaction.skills.discover import find_commands, find_skills
from roocode.memory.instructions.stack import NAME, OF_OTHERS, stack
from roocode.protocol.frozen import frozen
from roocode.tools.hooks.claude import read_any

Status: TypeAlias = Literal["used", "shadowed", "not used"]

_UNREAD = (
    *("CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules", "AGENTS.override.md", "GEMINI.md", "QWEN.md"),
    *("CRUSH.md", ".cursorrules", ".cursor/rules", ".windsurfrules", ".clinerules"),
    ".github/copilot-instructions.md",
)
_UNREAD_WHY = f"RooCode reads {NAME}, or {' or '.join(OF_OTHERS)} where there is none"


@frozen
class Item:
    """Something that was found. `why` says why it is not used, `notes` what in it is not honoured."""

    name: str
    source: str
    path: str
    status: Status = "used"
    why: str = ""
    notes: tuple[str, ...] = ()


Look: TypeAlias = Callable[[Settings], Iterable[Item]]
"""Finds all of one kind."""


def agents(settings: Settings) -> Iterator[Item]:
    """Agent definitions."""
    found = Definitions(settings.places, verifying=settings.enable_verification_agent).found()
    yield from (_item(each, settings.places) for each in found)


def looked(kind: ExtensionKind, finder: Callable[..., tuple[Found[Any], ...]]) -> Look:
    """Looks as a session does."""

    def look(settings: Settings) -> Iterator[Item]:
        places = settings.places
        for found in finder(places, standing(places), plugin_folders(kind, places)):
            yield _item(found, places)

    return look


def plugins(settings: Settings) -> Iterator[Item]:
    """Installed plugins."""
    for each in installed(settings.places):
        notes = (*each.record.notes, *each.record.manifest.unheeded) if each.record else ()
        status: Status = "not used" if each.error else "used"
        source = str(each.record.address) if each.record else ""
        yield Item(each.name, source, settings.places.shown(each.path), status, each.error, notes)


def hooks(settings: Settings) -> Iterator[Item]:
    """Hooks of the configuration and of plugins, one by one."""
    for each in settings.account:
        if each.key == ("hooks",):
            event = each.value.get("event", "?") if isinstance(each.value, dict) else "?"
            yield _setting(str(event), each)
    found = plugin_lines(settings.places)
    for line in found.hooks:
        hook = read_any(line.data, line.source)
        yield Item(hook.kind.name, "plugin", line.source)
    if found.unheeded:
        yield Item("hooks of plugins", "plugin", "", notes=found.unheeded)


def servers(settings: Settings) -> Iterator[Item]:
    """MCP servers of every place. None is started."""
    for each in find_servers(settings, os.environ):
        status: Status = "not used" if each.error else "shadowed" if each.shadowed_by else "used"
        why = each.error or (f"{each.shadowed_by} is used" if each.shadowed_by else "")
        yield Item(each.name, each.owner, each.place, status, why, each.notes)


def instructions(settings: Settings) -> Iterator[Item]:
    """Instruction files of the project and the person, those of other agents too."""
    places = settings.places
    found = stack(places.root, places.home)
    for path in found.files:
        owner = "user" if path.is_relative_to(places.home) else "project"
        yield Item(path.name, owner, places.shown(path))
    if found.notes:
        yield Item("included files", "project", "", "not used", "; ".join(found.notes))
    for name in (NAME, *OF_OTHERS):
        path = places.root / name
        if path.is_file() and path not in found.files:
            yield Item(name, "project", name, "shadowed", _UNREAD_WHY)
    for name in _UNREAD:
        if (places.root / name).exists():
            yield Item(name, "project", name, "not used", _UNREAD_WHY)


def foreign_settings(settings: Settings) -> Iterator[Item]:
    """`.claude/settings*.json`: their rules count as far as the directory is trusted."""
    seen: set[Path] = set()
    for scope in SCOPES:
        path = foreign_file(settings.places, scope)
        shown = settings.places.shown(path)
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        error = next((each for each in settings.rule_errors if each.startswith(f"{shown}:")), "")
        why = error or (UNTRUSTED if scope != "user" and not settings.trusted else "")
        notes = tuple(note for note in settings.unheeded if note.startswith(f"{shown}:"))
        yield Item(path.name, scope, shown, "not used" if why else "used", why, notes)


LOOKS: Mapping[str, Look] = {
    "agents": agents,
    "skills": looked("skills", find_skills),
    "commands": looked("commands", find_commands),
    "hooks": hooks,
    "mcp servers": servers,
    "plugins": plugins,
    "instructions": instructions,
    "settings of others": foreign_settings,
}
"""How each kind is looked for; the readers are those that a session uses."""


def counted(items: Iterable[Item]) -> str:
    """How many of each status there are, as text."""
    all_ = list(items)
    parts = [
        f"{number} {status}"
        for status in ("used", "shadowed", "not used")
        if (number := sum(each.status == status for each in all_))
    ]
    notes = sum(len(each.notes) for each in all_)
    return ", ".join([*parts, *([f"{notes} not honoured"] if notes else [])])


def lines_of(items: Iterable[Item]) -> Iterator[str]:
    """A line for each that is not used, and for what is not honoured."""
    for each in items:
        place = f"{each.name}, {each.path}" if each.path not in ("", each.name) else each.name
        if each.status != "used":
            yield f"{each.status}: {place}: {each.why}"
        for note in each.notes:
            has_place = each.path and note.startswith(each.path)
            yield f"not honoured: {note}" if has_place else f"not honoured: {each.name}: {note}"


def is_broken(item: Item) -> bool:
    """Whether somebody has to mend it: what is only shadowed, untrusted or of others is as it should be."""
    return item.status == "not used" and item.why not in (UNTRUSTED, _UNREAD_WHY, SWITCHED_OFF)


def _item(found: Found[Any], places: Places) -> Item:
    path = places.shown(found.path)
    if found.error:
        return Item(found.name, found.owner, path, "not used", found.error, found.notes)
    if found.shadowed_by:
        why = f"{places.shown(Path(found.shadowed_by))} is used"
        return Item(found.name, found.owner, path, "shadowed", why, found.notes)
    return Item(found.name, found.owner, path, notes=found.notes)


def _setting(name: str, each: Setting) -> Item:
    if each.ignored:
        return Item(name, each.tier, each.source, "not used", each.ignored)
    if each.shadowed_by:
        return Item(name, each.tier, each.source, "shadowed", f"{each.shadowed_by} is used")
    return Item(name, each.tier, each.source)
