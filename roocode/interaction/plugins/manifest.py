"""What a plugin says of itself, and where in it its parts lie: pure.

`.roocode-plugin/plugin.json`, else `.claude-plugin/plugin.json`, else the folders of the common layout. Paths
in a manifest add to those folders; one that leads out of the plugin refuses the whole.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.interaction.config.document import parse_json
from roocode.interaction.extensions.places import ExtensionKind
from roocode.interaction.plugins.parts import KINDS, HookSource, Manifest, Part, ServerSource
from roocode.interaction.plugins.tree import Tree, below, has_folder
from roocode.interaction.ui.safe_text import on_one_line, visible
from roocode.protocol.errors import UserError

FILES = (".roocode-plugin/plugin.json", ".claude-plugin/plugin.json")
LONGEST_NAME = 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = frozenset(
    {
        *("roocode", "builtin", "built-in", "shipped", "project", "user", "local", "mcp"),
        *("plugin", "plugins", "marketplace", "marketplaces", "con", "prn", "aux", "nul"),
        *(f"{device}{number}" for device in ("com", "lpt") for number in range(10)),
    }
)
_HOOKS = re.compile(r"hooks/(hooks\.json|[^/]+\.ya?ml)")
_UNHEEDED_KEYS = {
    "lspServers": "language servers",
    "outputStyles": "output styles",
    "themes": "themes",
    "monitors": "monitors",
    "experimental": "experimental parts",
    "settings": "settings",
    "userConfig": "values that it asks the person for",
    "channels": "channels",
    "dependencies": "other plugins that it needs: install them yourself",
}
_UNHEEDED_PLACES = {
    ".lsp.json": "language servers",
    "output-styles": "output styles",
    "themes": "themes",
    "monitors": "monitors",
    "bin": "programs for PATH",
    "settings.json": "settings",
}
_COMPONENTS = (*KINDS, "hooks", "mcpServers")


def read_manifest(tree: Tree, *, fallback: str, entry: Mapping[str, Any] | None = None) -> Manifest:
    """The plugin in a tree; `entry` is what a marketplace says of it, `fallback` a name for one without.

    Raises UserError for what is no plugin, or tries to lead out of itself.
    """
    path, said = _own(tree)
    entry = entry or {}
    if not said and not entry and not any(_has_default(tree, kind) for kind in _COMPONENTS):
        raise UserError(
            f"{fallback} is no plugin: it has no plugin.json, and none of the folders of one",
            "a plugin has .claude-plugin/plugin.json, or skills/, commands/, agents/, hooks/ or .mcp.json",
        )
    if said and "name" not in said and not entry:
        raise UserError(f"{path} has no name", "ask its author to add one")
    name = checked_name(entry.get("name") or said.get("name") or fallback)
    return _Reading(tree, name, path, said, entry).manifest()


def checked_name(name: Any) -> str:
    """The name of a plugin or marketplace; raises UserError for one that could be taken for another."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UserError(
            f"{visible(str(name))[:80]!r} is no name of a plugin",
            f"letters, digits, '-', '_' and '.', at most {LONGEST_NAME}",
        )
    if name.casefold().partition(".")[0] in _RESERVED:
        raise UserError(f"the name {name!r} is reserved", "ask its author to rename it")
    return name


def read_json(tree: Tree, path: str) -> Any:
    """The data of a JSON file of a tree; raises UserError."""
    text = tree[path].text
    if text is None:
        raise UserError(f"{path} is not a file of text", "ask its author to mend it")
    try:
        return parse_json(text)
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}", "ask its author to mend it") from error


def _own(tree: Tree) -> tuple[str, dict[str, Any]]:
    path = next((each for each in FILES if each in tree), "")
    if not path:
        return "", {}
    said = read_json(tree, path)
    if not isinstance(said, dict):
        raise UserError(f"{path} is not a JSON object", "ask its author to mend it")
    return path, said


def _has_default(tree: Tree, kind: str) -> bool:
    if kind == "hooks":
        return any(_HOOKS.fullmatch(path) for path in tree)
    return ".mcp.json" in tree if kind == "mcpServers" else has_folder(tree, kind)


class _Reading:
    """Finds the parts of one plugin."""

    def __init__(
        self, tree: Tree, name: str, path: str, said: Mapping[str, Any], entry: Mapping[str, Any]
    ) -> None:
        self._tree, self._name = tree, name
        self._path = path or "marketplace.json"
        self._said = said
        self._notes: list[str] = []
        self._entry = entry
        self._lists_all = not said and any(kind in entry for kind in _COMPONENTS)

    def manifest(self) -> Manifest:
        """The whole."""
        folders = {kind: tuple(self._parts(kind)) for kind in KINDS}
        hooks = tuple(self._hooks())
        servers = tuple(self._servers())
        self._unheeded()
        author = self._text("author")
        return Manifest(
            self._name,
            self._text("version"),
            self._text("description"),
            author,
            {kind: parts for kind, parts in folders.items() if parts},
            hooks,
            servers,
            tuple(self._notes),
        )

    def _text(self, key: str) -> str:
        value = self._said.get(key) or self._entry.get(key) or ""
        if isinstance(value, dict):
            value = value.get("name", "")
        return on_one_line(str(value))[:1000] if isinstance(value, str | int | float) else ""

    def _given(self, key: str) -> Iterator[Any]:
        """What manifest and marketplace give for a kind, one by one."""
        for data in (self._said, self._entry):
            value = data.get(key)
            yield from value if isinstance(value, list) else () if value is None else (value,)

    def _uses_default(self, kind: str) -> bool:
        """Whether the common folder counts: not where a marketplace alone says what the plugin is."""
        return not self._lists_all and _has_default(self._tree, kind)

    def _parts(self, kind: ExtensionKind) -> Iterator[Part]:
        if self._uses_default(kind):
            yield Part(kind)
        for given in self._given(kind):
            sources = [given]
            if isinstance(given, dict):
                sources = [each.get("source") if isinstance(each, dict) else each for each in given.values()]
            for source in sources:
                path = self._inside(kind, source)
                if path is not None and path != kind:
                    yield self._part(kind, path)

    def _part(self, kind: ExtensionKind, path: str) -> Part:
        """A folder, or one file or skill in its folder."""
        is_single = path in self._tree or (kind == "skills" and f"{path}/SKILL.md" in self._tree)
        return Part(posixpath.dirname(path), (posixpath.basename(path),)) if is_single else Part(path)

    def _hooks(self) -> Iterator[HookSource]:
        paths: dict[str, None] = {}
        if self._uses_default("hooks"):
            paths |= {path: None for path in sorted(self._tree) if _HOOKS.fullmatch(path)}
        for given in self._given("hooks"):
            if isinstance(given, dict):
                yield HookSource(self._path, json.dumps(given if "hooks" in given else {"hooks": given}))
            elif (path := self._inside("hooks", given)) is not None:
                inner = [
                    each for each, _ in below(self._tree, path) if each.endswith((".json", ".yaml", ".yml"))
                ]
                paths |= dict.fromkeys(inner)
        yield from (HookSource(path) for path in paths)

    def _servers(self) -> Iterator[ServerSource]:
        paths: dict[str, None] = {}
        if self._uses_default("mcpServers"):
            paths[".mcp.json"] = None
        for given in self._given("mcpServers"):
            if isinstance(given, dict):
                yield from self._mapping(self._path, given)
            elif (path := self._inside("mcpServers", given)) is not None:
                paths[path] = None
        for path in paths:
            if path not in self._tree:
                self._notes.append(f"{path}: no servers: it is a folder")
                continue
            try:
                data = read_json(self._tree, path)
            except UserError as error:
                self._notes.append(f"no servers: {error.what}")
                continue
            yield from self._mapping(path, data)

    def _mapping(self, path: str, data: Any) -> Iterator[ServerSource]:
        """Servers, which some files put straight at the top."""
        servers = data.get("mcpServers", data) if isinstance(data, dict) else None
        if not isinstance(servers, dict):
            self._notes.append(f"{path}: no servers: not a mapping of them by name")
            return
        sound = {name: each for name, each in servers.items() if isinstance(each, dict)}
        self._notes += [f"{path}: {visible(name)}: not a server" for name in servers if name not in sound]
        if sound:
            yield ServerSource(path, sound)

    def _inside(self, key: str, given: Any) -> str | None:
        """A path of the manifest below the plugin's folder; None where there is nothing."""
        if not isinstance(given, str):
            self._notes.append(f"{self._path}: {key}: {visible(str(given))[:80]} is no path")
            return None
        parts = [
            part for part in given.replace("${CLAUDE_PLUGIN_ROOT}/", "").split("/") if part not in ("", ".")
        ]
        if given.startswith(("/", "~")) or ".." in parts or "\\" in given or visible(given) != given:
            raise UserError(
                f"{self._path}: {key}: {visible(given)!r} leads out of the plugin",
                "ask its author to mend it",
            )
        path = "/".join(parts)
        if path in self._tree or (has_folder(self._tree, path) if path else key == "skills"):
            return path
        self._notes.append(f"{self._path}: {key}: there is no {visible(given)}")
        return None

    def _unheeded(self) -> None:
        for place, what in _UNHEEDED_PLACES.items():
            if place in self._tree or has_folder(self._tree, place):
                self._notes.append(f"{place}: {what}: not supported")
        for key, what in _UNHEEDED_KEYS.items():
            if self._said.get(key) or self._entry.get(key):
                self._notes.append(f"{self._path}: {key}: {what}: not supported")
