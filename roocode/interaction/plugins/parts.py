"""The parts of a plugin, as they were found in its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from roocode.interaction.extensions.places import ExtensionKind
from roocode.protocol.frozen import frozen

KINDS: tuple[ExtensionKind, ...] = ("skills", "commands", "agents")


@frozen
class Part:
    """A folder with extensions; `only` names those in it that count, all where it is empty."""

    path: str
    only: tuple[str, ...] = ()


@frozen
class HookSource:
    """A file of hooks; `text` is what stands inside another file, the manifest, at `path`."""

    path: str
    text: str = ""


@frozen
class ServerSource:
    """Servers by name, as they are written at `path`."""

    path: str
    servers: Mapping[str, Any]


@frozen
class Manifest:
    """A plugin's own account. `unheeded` names what is in it that RooCode does not use."""

    name: str
    version: str = ""
    description: str = ""
    author: str = ""
    folders: Mapping[ExtensionKind, tuple[Part, ...]] = field(default_factory=dict)
    hooks: tuple[HookSource, ...] = ()
    servers: tuple[ServerSource, ...] = ()
    unheeded: tuple[str, ...] = ()
