"""What RooCode keeps of an installed plugin, and whether its files are still those that were installed.

`plugins/NAME/installed.json` names the folder beside it that counts, so that one replaced file is the step
from one version to the next. The files are believed by their digest; a signature of their status (of which
nobody sets the change time) saves reading them again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from roocode.interaction.extensions.places import ExtensionKind
from roocode.interaction.plugins.address import Address, from_data, to_data
from roocode.interaction.plugins.parts import KINDS, HookSource, Manifest, Part, ServerSource
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen

SCHEMA = 1
FILE = "installed.json"
DATA = "data"
CHANGED = "its files were changed since it was installed"
SETTLED_NS = 50_000_000
"""Longer than the step of the clock that file systems read."""


@frozen
class Record:
    """An installed plugin: what was shown to the person, and what of it counts."""

    manifest: Manifest
    address: Address
    commit: str
    digest: str
    folder: str
    brings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    marketplace: str = ""
    since: str = ""
    signature: str = ""

    @property
    def name(self) -> str:
        """The name under which its parts are used."""
        return self.manifest.name


def encode(record: Record) -> bytes:
    """The record as the content of its file."""
    manifest = record.manifest
    data = {
        "schema": SCHEMA,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "author": manifest.author,
        "source": to_data(record.address),
        "marketplace": record.marketplace,
        "commit": record.commit,
        "digest": record.digest,
        "folder": record.folder,
        "since": record.since,
        "signature": record.signature,
        "parts": {
            kind: [{"path": part.path, "only": list(part.only)} for part in parts]
            for kind, parts in manifest.folders.items()
        },
        "hooks": [{"path": hook.path, "text": hook.text} for hook in manifest.hooks],
        "servers": [{"path": source.path, "servers": dict(source.servers)} for source in manifest.servers],
        "unheeded": list(manifest.unheeded),
        "brings": list(record.brings),
        "runs": list(record.runs),
        "notes": list(record.notes),
    }
    return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"


def read_record(folder: Path) -> Record:
    """The record in a plugin's folder; raises UserError for one that is not ours or cannot be read."""
    path = folder / FILE
    try:
        return _decoded(json.loads(path.read_bytes()))
    except FileNotFoundError as error:
        raise UserError(f"{folder} holds no installed plugin", "install it again") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be read: {error}", "install the plugin again") from error


def _decoded(data: Mapping[str, Any]) -> Record:
    if data["schema"] != SCHEMA:
        raise ValueError("it was written by another version of RooCode")
    folders: dict[ExtensionKind, tuple[Part, ...]] = {
        kind: tuple(Part(part["path"], tuple(part["only"])) for part in data["parts"].get(kind, ()))
        for kind in KINDS
    }
    manifest = Manifest(
        data["name"],
        data["version"],
        data["description"],
        data["author"],
        folders,
        tuple(HookSource(hook["path"], hook["text"]) for hook in data["hooks"]),
        tuple(ServerSource(source["path"], source["servers"]) for source in data["servers"]),
        tuple(data["unheeded"]),
    )
    return Record(
        manifest,
        from_data(data["source"]),
        data["commit"],
        data["digest"],
        data["folder"],
        tuple(data["brings"]),
        tuple(data["runs"]),
        tuple(data["notes"]),
        data["marketplace"],
        data["since"],
        data["signature"],
    )


def changed(record: Record, root: Path) -> str:
    """What is wrong with the files of a plugin, "" where they are those that were installed."""
    try:
        now, _ = signature(root)
        if now == record.signature:
            return ""
        digest = _digest(str(root), now)
    except UserError:
        return CHANGED
    except (OSError, HostError) as error:
        return f"its files cannot be read: {error}"
    return "" if digest == record.digest else CHANGED


def settled_signature(root: Path) -> str:
    """The signature of files that were just written, once a later change must show in it."""
    while True:
        now, newest = signature(root)
        if time.time_ns() - newest > SETTLED_NS:
            return now
        time.sleep(SETTLED_NS / 1e9)


def signature(root: Path) -> tuple[str, int]:
    """What the file system says of all below a folder, and the time of the last change; raises OSError."""
    import hashlib

    whole, newest = hashlib.sha256(), 0
    for path, status in _below(str(root), ""):
        newest = max(newest, status.st_ctime_ns)
        numbers = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        whole.update(f"{path}\0{numbers}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest(), newest


def _below(root: str, folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(f"{root}/{folder}") as items:
        listed = sorted(items, key=lambda item: item.name)
    for item in listed:
        path = f"{folder}{item.name}"
        yield path, item.stat(follow_symlinks=False)
        if item.is_dir(follow_symlinks=False):
            yield from _below(root, f"{path}/")


@lru_cache(maxsize=64)
def _digest(root: str, _signature: str) -> str:
    """The digest of the files, read once for each signature."""
    from roocode.interaction.plugins.folder import read_folder
    from roocode.interaction.plugins.tree import digest

    return digest(read_folder(Path(root), root))
