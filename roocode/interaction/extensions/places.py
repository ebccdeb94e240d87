"""Where extensions lie and whose they are; RooCode's own folders come before those of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from roocode.interaction.config.data_root import data_root
from roocode.interaction.config.places import Places
from roocode.protocol.frozen import frozen

ExtensionKind: TypeAlias = Literal["agents", "skills", "commands"]
Owner: TypeAlias = Literal["project", "user", "plugin", "shipped"]

_FOREIGN: dict[ExtensionKind, tuple[str, ...]] = {
    "agents": (".claude",),
    "skills": (".claude", ".agents"),
    "commands": (".claude",),
}


@frozen
class Folder:
    """A folder of extensions. `plugin` is the plugin that it is of: its names begin with it.

    `only` names the files and folders straight in it that count, all where it is empty. `root` is the folder
    of the plugin's files.
    """

    owner: Owner
    path: Path
    plugin: str = ""
    only: tuple[str, ...] = ()
    root: Path | None = None

    def named(self, name: str) -> str:
        """The name under which something in this folder is used."""
        return f"{self.plugin}:{name}" if self.plugin else name


def folders(kind: ExtensionKind, places: Places, plugins: tuple[Folder, ...] = ()) -> Iterator[Folder]:
    """All folders of a kind, the first to win first: project, user, `plugins`, what ships with RooCode."""
    yield Folder("project", places.root / ".roocode" / kind)
    yield from (Folder("project", places.root / family / kind) for family in _FOREIGN[kind])
    yield Folder("user", places.home / kind)
    yield from (Folder("user", places.person / family / kind) for family in _FOREIGN[kind])
    yield from plugins
    yield Folder("shipped", data_root() / kind)
