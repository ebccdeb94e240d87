"""Finds skills and commands, and tells by cheap looks whether anything of them has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from roocode.interaction.config.document import read_text
from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import Standing
from roocode.interaction.extensions.found import Found, files_below, find
from roocode.interaction.extensions.places import Folder, folders
from roocode.interaction.skills import own_tools
from roocode.interaction.skills.definition import Skill, read_command, read_skill
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

Look: TypeAlias = tuple[tuple[str, int, int, int], ...]
_NO_SKILL = "readme.md"
_MATERIAL = frozenset({"assets", "examples", "references", "scripts", "template", "templates"})
"""Directories of a skill in which a `SKILL.md` is an example of one.

The walk goes from the top down, so a skill is met before what lies below it.
"""


@frozen
class PluginFolders:
    """Where plugins keep their skills and commands."""

    skills: tuple[Folder, ...] = ()
    commands: tuple[Folder, ...] = ()


def find_skills(
    places: Places, standing: Standing, plugins: tuple[Folder, ...] = ()
) -> tuple[Found[Skill], ...]:
    """All skills, the first to win first."""
    files = (each for folder in folders("skills", places, plugins) for each in _skill_files(folder))
    found = find(files, read_skill, places, standing)
    return tuple(_with_tools(each, places, standing) for each in found)


def find_commands(
    places: Places, standing: Standing, plugins: tuple[Folder, ...] = ()
) -> tuple[Found[Skill], ...]:
    """All commands, the first to win first."""
    folded = (folder for folder in folders("commands", places, plugins) if folder.owner != "shipped")
    files = (each for folder in folded for each in files_below(folder, _is_markdown))
    return find(files, read_command, places, standing)


def look(places: Places, plugins: PluginFolders) -> Look:
    """What all files of skills and commands look like from outside: another look, another content.

    What ships with RooCode does not change while it runs.
    """
    every = (*folders("skills", places, plugins.skills), *folders("commands", places, plugins.commands))
    changing = (folder for folder in every if folder.owner != "shipped")
    files = (path for folder in changing for _, path in files_below(folder, lambda _name: True))
    return tuple(_looks([*files, places.trust]))


def own_folders(found: Iterable[Found[Skill]], places: Places, plugins: PluginFolders) -> tuple[Path, ...]:
    """Directories of skills outside the project that their agent may read, those behind links too.

    A directory that is not there yet may come. A link of a project opens nothing, and nobody's home directory
    is one of a skill.
    """
    outside = [folder for folder in folders("skills", places, plugins.skills) if folder.owner != "project"]
    linked = (
        each.value.folder.resolve()
        for each in found
        if each.owner != "project" and each.is_used and each.value and each.value.folder
    )
    below = [folder.path.resolve() for folder in outside]
    apart = (path for path in linked if not any(path.is_relative_to(folder) for folder in below))
    homes = (places.person.resolve(), places.home.resolve())
    safe = (path for path in apart if not any(home.is_relative_to(path) for home in homes))
    return tuple(dict.fromkeys([*below, *safe]))


def _skill_files(folder: Folder) -> Iterator[tuple[Folder, Path]]:
    """Each `SKILL.md`, but those that a skill keeps as material, and the single files at the top."""
    entered: list[Path] = []
    for found, path in files_below(folder, _is_markdown):
        if path.name.lower() == "skill.md" and path.parent != folder.path:
            if not _is_material(path.parent, entered):
                entered.append(path.parent)
                yield found, path
        elif path.parent == folder.path and path.name.lower() != _NO_SKILL:
            yield found, path


def _is_material(folder: Path, skills: list[Path]) -> bool:
    """Whether a directory is below one in which a skill keeps what is not its own."""
    around = (skill for skill in skills if folder.is_relative_to(skill))
    return any(not _MATERIAL.isdisjoint(folder.relative_to(skill).parts) for skill in around)


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md")


def _with_tools(found: Found[Skill], places: Places, standing: Standing) -> Found[Skill]:
    """The skill with its own tools; a project's count as far as their file is the one that was trusted."""
    skill = found.value
    if skill is None or skill.folder is None:
        return found
    path = skill.folder / own_tools.FILE
    try:
        text = read_text(path, own_tools.FILE)
    except UserError as error:
        return replace(found, notes=(*found.notes, error.what))
    if text is None:
        return found
    if found.owner == "project" and not found.error:
        name = str(path.relative_to(places.root))
        if not standing.is_that(name, text.encode()):
            return replace(found, notes=(*found.notes, f"{own_tools.FILE} changed since it was trusted"))
    tools, notes = own_tools.read_tools(text, skill.folder)
    return replace(found, value=replace(skill, tools=tools), notes=(*found.notes, *notes))


def _looks(paths: Iterable[Path]) -> Iterator[tuple[str, int, int, int]]:
    for path in paths:
        try:
            seen = os.stat(path)
        except OSError:
            continue
        yield str(path), seen.st_mtime_ns, seen.st_size, seen.st_ino
