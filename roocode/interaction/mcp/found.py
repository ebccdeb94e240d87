"""Finds the MCP servers of a directory, and says of each what is used, or why it is not.

Of one name the first counts: `--mcp-config`, this checkout's configuration, the project's, its `.mcp.json`,
the person's own, those of plugins. A project's count in a trusted directory alone, as long as the content is
what was trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from roocode.interaction.config.document import parse_document, parse_json, read_text
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import standing
from roocode.interaction.plugins.installed import plugin_servers, variables
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.tools.mcp.config import Owner, ServerConfig
from roocode.tools.mcp.entry import read_entry
from roocode.tools.mcp.expansion import Expansion

PROJECT_FILE = ".mcp.json"
OPTION = "--mcp-config"
OFF = "it is switched off in its own entry"
_MODEL_KEYS = re.compile(r"(ANTHROPIC|OPENAI|ROOCODE)_\w+")
_TIERS: Mapping[str, Owner] = {"local": "local", "project": "project", "user": "user"}


@frozen
class FoundServer:
    """A server that some place names. It is used unless `error` or `shadowed_by` says why not.

    `notes` are what in its entry is not honoured.
    """

    name: str
    owner: Owner
    place: str
    config: ServerConfig | None = None
    error: str = ""
    shadowed_by: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether it is started."""
        return self.config is not None and not self.error and not self.shadowed_by


@frozen
class _Source:
    """Entries of one place: name, place in words, what stands there, and why none of it counts.

    `variables` are what its entries may name beside the environment, and its servers find in theirs.
    """

    owner: Owner
    entries: tuple[tuple[str, str, object], ...]
    withheld: str = ""
    milliseconds: bool = True
    variables: Mapping[str, str] = field(default_factory=dict)


def find_servers(
    settings: Settings, env: Mapping[str, str], given: Sequence[str] = (), *, only_given: bool = False
) -> tuple[FoundServer, ...]:
    """All servers, the first to win first. `given` are the values of `--mcp-config`: files or JSON texts.

    Raises UserError for a given one that cannot be read; whatever else is broken is an `error` of its own.
    """
    sources = [_given(value, settings) for value in given]
    if not only_given:
        sources += _configured(settings, ("local", "project"))
        sources += _project_file(settings)
        sources += _configured(settings, ("user",))
        sources += _plugged(settings)
    return _shadowed([found for source in sources for found in _read(source, settings, env)])


def used(found: Iterable[FoundServer]) -> tuple[ServerConfig, ...]:
    """The configurations of those that are started."""
    return tuple(each.config for each in found if each.config is not None and each.is_used)


def complaints(found: Iterable[FoundServer]) -> tuple[str, ...]:
    """What a person should know of servers that are not started or not wholly as they are written."""
    lines = []
    for each in found:
        if each.error and each.error not in (UNTRUSTED, OFF):
            lines.append(f"{each.place}: {each.error}")
        lines += [f"{each.place}: {each.name}: {note}" for note in each.notes if each.is_used]
    return tuple(lines)


def servers_of(text: str, shown: str) -> dict[str, Any]:
    """The entries in the text of a `.mcp.json`: below `mcpServers`, or a bare map. Raises UserError."""
    try:
        data = parse_json(text.removeprefix("\ufeff") or "{}")
    except ValueError as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UserError(f"{shown}{line}: not JSON: {error}", "mend the line named") from error
    if not isinstance(data, dict):
        raise UserError(f"{shown}: not a JSON object", 'write {"mcpServers": {…}}')
    for key in ("mcpServers", "mcp_servers", "servers"):
        if isinstance(data.get(key), dict):
            return dict(data[key])
        if key in data and key != "servers":
            raise UserError(f"{shown}: {key} is not an object", "write one entry a server, by name")
    bare = {name: entry for name, entry in data.items() if not name.startswith("$")}
    wrong = [name for name, entry in bare.items() if not isinstance(entry, dict)]
    if wrong:
        raise UserError(f"{shown}: {wrong[0]!r} is no server", 'write {"mcpServers": {…}}')
    return bare


def _given(value: str, settings: Settings) -> _Source:
    if value.lstrip().startswith("{"):
        entries = servers_of(value, OPTION)
        return _Source("flag", tuple((name, OPTION, entry) for name, entry in entries.items()))
    path = Path(value).expanduser()
    text = read_text(path, str(path))
    if text is None:
        raise UserError(f"{OPTION}: there is no file {value}", "give a file, or the JSON itself")
    entries = servers_of(text, str(path))
    return _Source("flag", tuple((name, str(path), entry) for name, entry in entries.items()))


def _configured(settings: Settings, tiers: tuple[str, ...]) -> Iterator[_Source]:
    for tier in tiers:
        mine = [each for each in settings.account if each.key[0] == "mcp_servers" and each.tier == tier]
        for each in mine:
            entry = (str(each.key[1]), each.source, each.value)
            yield _Source(_TIERS[tier], (entry,), each.ignored, milliseconds=False)


def _project_file(settings: Settings) -> Iterator[_Source]:
    places = settings.places
    path = places.root / PROJECT_FILE
    try:
        text = read_text(path, PROJECT_FILE)
        if text is None:
            return
        entries = servers_of(text, PROJECT_FILE)
    except (UserError, HostError) as error:
        yield _Source("project", (("", PROJECT_FILE, None),), error.what)
        return
    stand = standing(places)
    counts = stand.counts(PROJECT_FILE, text)
    lines = _lines(text)
    named = tuple(
        (name, f"{PROJECT_FILE}:{lines[name]}" if name in lines else PROJECT_FILE, entry)
        for name, entry in entries.items()
    )
    yield _Source("project", named, "" if counts else UNTRUSTED)


def _plugged(settings: Settings) -> Iterator[_Source]:
    for each in plugin_servers(settings.places):
        place = settings.places.shown(each.source)
        named = tuple((f"plugin_{each.plugin}_{name}", place, entry) for name, entry in each.servers.items())
        yield _Source("plugin", named, variables=variables(each.root, each.data))


def _lines(text: str) -> dict[str, int]:
    """The line of each server, as YAML, which holds nearly all of JSON, tells it."""
    try:
        found = parse_document(text.removeprefix("\ufeff").replace("\t", " "), PROJECT_FILE).lines
    except UserError:
        return {}
    return {str(path[-1]): line for path, line in found.items() if len(path) <= 2}


def _read(source: _Source, settings: Settings, env: Mapping[str, str]) -> Iterator[FoundServer]:
    root = str(settings.places.root)
    around = {**env, "CLAUDE_PROJECT_DIR": root, "ROOCODE_PROJECT_DIR": root, **source.variables}
    of_others = source.owner in ("project", "local", "plugin")
    withheld = _keys(settings, env) if of_others else frozenset()
    for name, place, entry in source.entries:
        found = FoundServer(name, source.owner, place, error=source.withheld)
        if entry is None:
            yield found
            continue
        try:
            read = read_entry(
                name,
                entry,
                owner=source.owner,
                place=place,
                expand=Expansion(around, withheld),
                milliseconds=source.milliseconds,
            )
        except UserError as error:
            yield replace(found, error=source.withheld or str(error).replace("\n", ": "))
            continue
        off = OFF if read.off else ""
        config = replace(read.config, env={**source.variables, **read.config.env})
        yield replace(found, config=config, notes=read.notes, error=source.withheld or off)


def _keys(settings: Settings, env: Mapping[str, str]) -> frozenset[str]:
    """The variables that hold a key of a model's provider: what is not the person's own never gets them."""
    named = {config.api_key_env for config in settings.providers.values() if config.api_key_env}
    return frozenset(named | {name for name in env if _MODEL_KEYS.fullmatch(name)})


def _shadowed(found: list[FoundServer]) -> tuple[FoundServer, ...]:
    winners: dict[str, FoundServer] = {}
    marked = []
    for each in found:
        if each.error and each.error != OFF:
            marked.append(each)
            continue
        winner = winners.setdefault(each.name, each)
        marked.append(each if winner is each else replace(each, shadowed_by=winner.place))
    return tuple(marked)
