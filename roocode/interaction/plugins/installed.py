"""What installed plugins give to a session: only as long as their files are those that were installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roocode.interaction.config.places import Places
from roocode.interaction.extensions.places import ExtensionKind, Folder
from roocode.protocol.errors import RooCodeError
from roocode.protocol.frozen import frozen

if TYPE_CHECKING:
    from roocode.interaction.plugins.record import Record


@frozen
class Plugin:
    """An installed plugin. It is used unless `error` says why not; then `record` may be missing too."""

    name: str
    path: Path
    record: Record | None = None
    error: str = ""

    @property
    def root(self) -> Path:
        """The folder of its files."""
        return self.path / self.record.folder if self.record else self.path

    @property
    def data(self) -> Path:
        """A folder for what it keeps; it stays through updates, and is removed with the plugin."""
        return self.path / "data"


@frozen
class PluginHooks:
    """A text of hooks, JSON or YAML by the name of its file, and the plugin that it belongs to."""

    plugin: str
    root: Path
    data: Path
    source: Path
    text: str

    @property
    def is_yaml(self) -> bool:
        """Whether it is written in RooCode's form."""
        return self.source.suffix in (".yaml", ".yml")


@frozen
class PluginServers:
    """MCP servers as a plugin writes them, by name."""

    plugin: str
    root: Path
    data: Path
    source: Path
    servers: Mapping[str, Any]


def variables(root: Path, data: Path) -> dict[str, str]:
    """What a plugin's texts may name as `${…}`, and its programs find in their environment.

    Python writes no cache beside a plugin's modules: that would change its files, and end their effect.
    """
    return {
        "CLAUDE_PLUGIN_ROOT": str(root),
        "ROOCODE_PLUGIN_ROOT": str(root),
        "CLAUDE_PLUGIN_DATA": str(data),
        "ROOCODE_PLUGIN_DATA": str(data),
        "PYTHONPYCACHEPREFIX": str(data / "pycache"),
    }


def installed(places: Places) -> tuple[Plugin, ...]:
    """All plugins by name, with why one is not used. Costs one look where there are none."""
    try:
        names = sorted(name for name in os.listdir(places.plugins) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(_plugin(places.plugins / name) for name in names)


def plugin_folders(kind: ExtensionKind, places: Places) -> tuple[Folder, ...]:
    """The folders of a kind, of all plugins that are used."""
    return tuple(
        Folder("plugin", plugin.root / part.path, plugin.name, part.only, plugin.root)
        for plugin, record in _used(places)
        for part in record.manifest.folders.get(kind, ())
    )


def plugin_hooks(places: Places) -> tuple[PluginHooks, ...]:
    """The hooks of all plugins that are used."""
    return tuple(
        PluginHooks(plugin.name, plugin.root, plugin.data, plugin.root / hook.path, text)
        for plugin, record in _used(places)
        for hook in record.manifest.hooks
        if (text := hook.text or _text(plugin.root / hook.path))
    )


def plugin_servers(places: Places) -> tuple[PluginServers, ...]:
    """The MCP servers of all plugins that are used; their tools are `mcp__plugin_PLUGIN_SERVER__TOOL`."""
    return tuple(
        PluginServers(plugin.name, plugin.root, plugin.data, plugin.root / source.path, source.servers)
        for plugin, record in _used(places)
        for source in record.manifest.servers
    )


def _text(path: Path) -> str:
    """The text of a file, "" where it went since it was looked at."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _used(places: Places) -> Iterator[tuple[Plugin, Record]]:
    for plugin in installed(places):
        if plugin.record is not None and not plugin.error:
            yield plugin, plugin.record


def _plugin(path: Path) -> Plugin:
    from roocode.interaction.plugins.record import FILE, changed, read_record
    from roocode.security.isolation.private_paths import require_own

    try:
        require_own(path / FILE)
        record = read_record(path)
    except RooCodeError as error:
        return Plugin(path.name, path, error=error.what)
    if record.name != path.name:
        return Plugin(path.name, path, error=f"its record is that of {record.name}")
    plugin = Plugin(path.name, path, record)
    return Plugin(path.name, path, record, changed(record, plugin.root))
