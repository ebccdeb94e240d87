"""Changes configuration files for the person: `config set`, and the rules of an "always allow"."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from roocode.interaction.config.document import parse_document, read_text
from roocode.interaction.config.edit import add_items, remove_key, set_value
from roocode.interaction.config.places import Places, Scope
from roocode.interaction.config.replace import held, replace_file
from roocode.interaction.config.schema import check, value_for
from roocode.interaction.config.sources import NEVER, never_from_project
from roocode.interaction.config.trust import standing, vouch
from roocode.protocol.decisions import Verdict
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import make_private


@frozen
class Changed:
    """The file that holds the change now, and whether it has effect (an untrusted project's has none)."""

    path: Path
    counts: bool


def set_key(places: Places, scope: Scope, dotted: str, text: str) -> Changed:
    """Sets one key from a text of the command line.

    Raises UserError for an unknown key, a value that does not fit, and what a project may never set.
    """
    key = dotted.split(".")
    value = value_for(key, text)
    if scope != "user" and never_from_project(tuple(key), value):
        raise UserError(f"{dotted} is {NEVER}", "leave out --project and --local")
    return _change(places, scope, lambda old, shown: set_value(old, key, value, shown))


def remember_rules(
    places: Places, rules: Sequence[str], verdict: Verdict = "allow", scope: Scope = "local"
) -> Changed:
    """Adds rules to this checkout's own file, `.roocode/config.local.yaml`, or to another scope's."""
    key = ("permissions", verdict)
    return _change(places, scope, lambda old, shown: add_items(old, key, rules, shown))


def set_server(places: Places, scope: Scope, name: str, entry: Mapping[str, Any]) -> Changed:
    """Puts an MCP server into a file, or another in its place. Raises UserError for what does not fit."""
    key = ("mcp_servers", name)
    return _change(places, scope, lambda old, shown: set_value(old, key, dict(entry), shown))


def remove_server(places: Places, scope: Scope, name: str) -> Changed:
    """Takes an MCP server out of a file, whose other characters stay. Raises UserError where it has none."""
    key = ("mcp_servers", name)
    return _change(places, scope, lambda old, shown: remove_key(old, key, shown))


def _change(places: Places, scope: Scope, edit: Callable[[str, str], str]) -> Changed:
    path = _target(places, scope)
    shown = places.shown(places.config(scope))
    with held(places.lock):
        before, old = standing(places), read_text(path, shown)
        new = edit(old or "", shown)
        check(parse_document(new, shown))
        if new == old:
            return Changed(path, scope == "user" or before.whole or (scope == "local" and before.local))
        replace_file(path, new.encode(), mode=0o600 if scope == "user" else 0o644)
        return Changed(path, scope == "user" or vouch(places, scope, before, existed=old is not None))


def _target(places: Places, scope: Scope) -> Path:
    """The file to write, with its directory made: a person's own link is followed, a project's never."""
    path = places.config(scope)
    if scope == "user":
        make_private(path.parent)
        return Path(os.path.realpath(path))
    if path.is_symlink() or path.parent.is_symlink():
        raise UserError(f"{places.shown(path)} is behind a link", "replace the link by a file")
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise HostError(f"cannot make {path.parent}: {error.strerror}", "check the permissions") from error
    return path
