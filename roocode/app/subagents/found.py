"""The agent definitions of a directory: from the command line, the project, the person, and what ships."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from roocode.engine.subagents import definition
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.outcome import FORK
from roocode.interaction.config.document import parse_json
from roocode.interaction.config.places import Places
from roocode.interaction.config.trust import Standing, standing
from roocode.interaction.extensions.found import Found, Read, files_below, find
from roocode.interaction.extensions.places import Folder, folders
from roocode.interaction.plugins.installed import plugin_folders
from roocode.protocol.errors import ModelError, UserError

OPTION = Path("--agents")
ROLES = frozenset({"lead", "teammate", FORK})
"""Definitions of the members of a team, which no call of Agent starts, and what a fork is called."""
VERIFICATION = "Verification"
SWITCHED_OFF = "it is offered where enable_verification_agent is true"


class Definitions:
    """The agents that can be started in a directory, looked up anew each time: a changed file counts at once.

    `given` are those of the option `--agents`, as JSON. Verification is offered only where it is `verifying`.
    """

    def __init__(self, places: Places, given: str = "", *, verifying: bool = False) -> None:
        self._places = places
        self._given = tuple(_given(given))
        self._verifying = verifying

    def found(self) -> tuple[Found[AgentDefinition], ...]:
        """All of them, and why one is not used."""
        files = tuple(_files(self._places))
        stands = any(folder.owner == "project" for folder, _ in files)
        stand = standing(self._places) if stands else Standing(whole=False, local=False)
        on_disk = (_hidden(each, self._verifying) for each in find(files, _read, self._places, stand))
        given = {each.name: str(each.path) for each in self._given}
        return (
            *self._given,
            *(
                replace(each, shadowed_by=given[each.name]) if each.name in given and not each.error else each
                for each in on_disk
            ),
        )

    def usable(self) -> tuple[AgentDefinition, ...]:
        """Those that a call of Agent may name, under the names by which it does."""
        return tuple(
            replace(each.value, name=each.name)
            for each in self.found()
            if each.is_used and each.value is not None and each.name not in ROLES
        )

    def named(self, name: str) -> AgentDefinition:
        """The one of this name, however its letters are written. Raises ModelError that names the nearest."""
        usable = self.usable()
        by_name = {each.name: each for each in usable}
        found = by_name.get(name) or next(
            (each for each in usable if _plain(each.name) == _plain(name)), None
        )
        if found is not None:
            return found
        why = next((each.error for each in self.found() if each.name == name and each.error), "")
        near = get_close_matches(name, by_name, n=1)
        mend = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(by_name)}."
        raise ModelError(f"There is no agent {name!r} to start{f' ({why})' if why else ''}. {mend}")


def as_option(definitions: Iterable[AgentDefinition]) -> str:
    """Definitions as `--agents` takes them: how those that count here reach the process of a teammate."""
    fields = {
        each.name: {
            "description": each.description,
            "prompt": each.prompt,
            "tools": list(each.tools) if each.tools is not None else None,
            "disallowedTools": list(each.disallowed),
            "model": each.model,
            "effort": each.effort,
            "maxTurns": each.max_turns,
            "permissionMode": each.mode,
            "background": each.background,
            "isolation": "worktree" if each.in_worktree else None,
        }
        for each in definitions
        if each.custom and ":" not in each.name
    }
    return json.dumps(fields) if fields else ""


def _files(places: Places) -> Iterator[tuple[Folder, Path]]:
    for folder in folders("agents", places, plugin_folders("agents", places)):
        yield from files_below(folder, lambda name: name.endswith(".md"))


def _read(text: str, path: Path, folder: Folder) -> Read[AgentDefinition]:
    said, notes = _parsed(text, path.stem, folder.owner != "shipped")
    return Read(said.name, said, notes)


@lru_cache(maxsize=1024)
def _parsed(text: str, stem: str, custom: bool) -> tuple[AgentDefinition, tuple[str, ...]]:
    """Files are read for every prompt; what they say is worked out once."""
    return definition.read(text, stem, custom=custom)


def _hidden(each: Found[AgentDefinition], verifying: bool) -> Found[AgentDefinition]:
    if each.owner != "shipped" or each.name != VERIFICATION or verifying:
        return each
    return replace(each, error=SWITCHED_OFF)


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")


def _given(text: str) -> Iterable[Found[AgentDefinition]]:
    """What the option defines: `{"name": {"description": …, "prompt": …, "tools": […]}}`."""
    if not text.strip():
        return
    try:
        said = parse_json(text)
    except ValueError as error:
        raise UserError(f"--agents is no JSON: {error}", 'write {"name": {"description": …}}') from error
    if not isinstance(said, Mapping) or not all(isinstance(each, Mapping) for each in said.values()):
        raise UserError("--agents is no object of objects", 'write {"name": {"description": …}}')
    for name, fields in said.items():
        yield _given_one(name, dict(fields))


def _given_one(name: str, fields: dict[str, Any]) -> Found[AgentDefinition]:
    body = str(fields.pop("prompt", ""))
    try:
        said, notes = definition.of_fields({**fields, "name": name}, body, name)
    except UserError as error:
        raise UserError(f"--agents: {name}: {error.what}") from error
    return Found(said.name, "user", OPTION, said, notes=notes)
