"""Installs and removes plugins: each is one step, and a killed process leaves the old state or the new."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from roocode.interaction.config.places import Places
from roocode.interaction.config.replace import replace_file
from roocode.interaction.plugins.finding import Candidate
from roocode.interaction.plugins.folder import read_folder
from roocode.interaction.plugins.record import DATA, FILE, Record, encode, read_record, settled_signature
from roocode.interaction.plugins.store import discard, drop, holding
from roocode.interaction.plugins.tree import Tree, digest
from roocode.protocol.errors import HostError, RooCodeError, UserError

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def recorded(places: Places, name: str) -> Record | None:
    """What is installed under a name; None where nothing is, or its record is broken."""
    try:
        return read_record(places.plugins / name)
    except UserError:
        return None


def install(places: Places, plugin: Candidate, *, into: Path, before: Record | None) -> Record:
    """Puts a plugin in the place of what was there `before`; `into` is a staging folder.

    Raises HostError where that is not what is there any more, UserError for a name that is taken.
    """
    content = into / "content"
    _write(content, plugin.tree)
    record = _record(plugin)
    with holding(places) as plugins:
        _refuse_lookalikes(plugins, record.name)
        target = plugins / record.name
        if _identity(recorded(places, record.name)) != _identity(before):
            raise HostError(f"{record.name} was changed by another process meanwhile", "try again")
        if before is None:
            if target.exists():
                discard(target)
            record = _assemble(into / "plugin", content, record)
            (into / "plugin").rename(target)
        else:
            content.rename(target / record.folder)
            record = replace(record, signature=settled_signature(target / record.folder))
            replace_file(target / FILE, encode(record), mode=0o600)
            _drop_others(target, record.folder)
    return record


def remove(places: Places, name: str) -> bool:
    """Removes a plugin with its data; False where there is none. A broken one goes too."""
    with holding(places) as plugins:
        found = next((each for each in _names(plugins) if each == name), None)
        if found is not None:
            discard(plugins / found)
    return found is not None


def changes(places: Places, old: Record, new: Candidate) -> Iterator[str]:
    """What an update would change, in lines: what it brings and could run, then its files."""
    yield from _differences(old.brings, new.account.brings)
    yield from _differences(old.runs, new.account.runs)
    try:
        before = read_folder(places.plugins / old.name / old.folder, old.name)
    except RooCodeError:
        before = {}
    for path in sorted(before.keys() | new.tree.keys()):
        if before.get(path) != new.tree.get(path):
            mark = "-" if path not in new.tree else "+" if path not in before else "~"
            yield f"{mark} {path}"


def _differences(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    yield from (f"- {line}" for line in old if line not in new)
    yield from (f"+ {line}" for line in new if line not in old)


def _record(plugin: Candidate) -> Record:
    whole = digest(plugin.tree)
    return Record(
        manifest=replace(plugin.manifest, hooks=plugin.account.hooks),
        address=plugin.address,
        commit=plugin.commit,
        digest=whole,
        folder=f"{whole[:12]}-{secrets.token_hex(4)}",
        brings=plugin.account.brings,
        runs=plugin.account.runs,
        notes=plugin.notes,
        marketplace=plugin.marketplace,
        since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def _write(top: Path, tree: Tree) -> None:
    """Writes the files, each for its owner alone."""
    top.mkdir(mode=0o700)
    made: set[Path] = {top}
    for path, entry in tree.items():
        where = top / path
        for folder in reversed(where.parents[: len(where.relative_to(top).parts) - 1]):
            if folder not in made:
                folder.mkdir(mode=0o700)
                made.add(folder)
        try:
            descriptor = os.open(where, _NEW_FILE, 0o700 if entry.kind == "program" else 0o600)
        except OSError as error:
            raise HostError(f"cannot write {where}: {error.strerror}", "check the disk") from error
        with open(descriptor, "wb") as file:
            file.write(entry.data)


def _assemble(folder: Path, content: Path, record: Record) -> Record:
    """A plugin's folder beside its place, whole: content, record and a folder for data."""
    folder.mkdir(mode=0o700)
    (folder / DATA).mkdir(mode=0o700)
    content.rename(folder / record.folder)
    record = replace(record, signature=settled_signature(folder / record.folder))
    replace_file(folder / FILE, encode(record), mode=0o600)
    return record


def _drop_others(target: Path, folder: str) -> None:
    """Removes the content that counts no more."""
    for path in target.iterdir():
        if path.name not in (FILE, DATA, folder):
            drop(path)


def _refuse_lookalikes(plugins: Path, name: str) -> None:
    taken = next(
        (each for each in _names(plugins) if each != name and each.casefold() == name.casefold()), ""
    )
    if taken:
        raise UserError(
            f"the plugin {taken} is installed, and {name} could be taken for it", "remove it first"
        )


def _names(plugins: Path) -> list[str]:
    return sorted(path.name for path in plugins.iterdir() if not path.name.startswith("."))


def _identity(record: Record | None) -> str:
    return json.dumps([record.digest, record.folder]) if record is not None else ""
