"""Rules and hooks of `.claude/settings*.json`: read as they are, with what in the files is not honoured.

A broken file, or the person's own where others could write it, may have held a deny rule, so it is an error
that stops allow rules; it never stops the program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roocode.interaction.config.document import Document, parse_document, parse_json, read_text
from roocode.interaction.config.places import SCOPES, Places, Scope
from roocode.interaction.config.settings import Setting
from roocode.interaction.config.sources import DENY, HOOKS, RULES, UNTRUSTED
from roocode.interaction.config.trust import Standing
from roocode.protocol.errors import HostError, UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import require_own

_READ = frozenset({"permissions", "hooks", "disableAllHooks"})
_SILENT = frozenset({"$schema", "comment", "description", "version"})
_WITHHELD = {
    "permissions.defaultMode": "a mode is set by `permissions.mode` of RooCode's own configuration",
    "permissions.additionalDirectories": "add them with --add-dir or in your own configuration",
    "env": "no environment is taken from settings of others",
    "model": "a model is set by `model` of RooCode's own configuration",
    "enabledPlugins": "a plugin is installed by `roocode plugins install`",
    "extraKnownMarketplaces": "a marketplace is added by `roocode plugins marketplace add`",
}
_OTHERWISE = "RooCode has no such setting"


@frozen
class Foreign:
    """What was found: rules as settings, what was `unheeded` (file, line, key and reason), and `errors`."""

    settings: tuple[Setting, ...] = ()
    unheeded: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def read_foreign(places: Places, standing: Standing) -> Foreign:
    """Reads the person's file and the project's two; never raises for what stands in them."""
    found = [_read(places, scope, standing) for scope in SCOPES]
    return Foreign(
        tuple(setting for each in found for setting in each.settings),
        tuple(note for each in found for note in each.unheeded),
        tuple(error for each in found for error in each.errors),
    )


def foreign_file(places: Places, scope: Scope) -> Path:
    """The file of a scope, whether it exists or not."""
    folder = places.person if scope == "user" else places.root
    return folder / ".claude" / ("settings.local.json" if scope == "local" else "settings.json")


def _read(places: Places, scope: Scope, standing: Standing) -> Foreign:
    path = foreign_file(places, scope)
    if scope == "project" and path == foreign_file(places, "user"):
        return Foreign()
    shown = places.shown(path)
    try:
        text = read_text(path, shown)
        if text is None:
            return Foreign()
        if scope == "user":
            require_own(path)
        document = json_document(text, shown)
    except (UserError, HostError) as error:
        return Foreign(errors=(f"{error.what}: it may hold deny rules",))
    counts = scope == "user" or standing.counts(str(path.relative_to(places.root)), text)
    return _Reading(document, scope, counts).result()


def json_document(text: str, shown: str) -> Document:
    """The data that JSON gives, and the lines that YAML, which holds nearly all of JSON, gives.

    Raises UserError for what is no JSON object.
    """
    try:
        data = parse_json(text.removeprefix("\ufeff") or "{}")
    except ValueError as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise UserError(f"{shown}{line}: not JSON: {reason}", "mend the line named") from error
    if not isinstance(data, dict):
        raise UserError(f"{shown}: not a JSON object", "write one object")
    try:
        lines = parse_document(text.removeprefix("\ufeff").replace("\t", " "), shown).lines
    except UserError:
        lines = {}
    return Document(shown, data, lines)


class _Reading:
    """Sorts what one file holds."""

    def __init__(self, document: Document, scope: Scope, counts: bool) -> None:
        self._document = document
        self._scope: Scope = scope
        self._counts = counts
        self._errors: list[str] = []
        self._remarks: list[str] = []

    def result(self) -> Foreign:
        """Rules, notes and errors."""
        permissions = self._document.data.get("permissions", {})
        if not isinstance(permissions, dict):
            self._complain(("permissions",), "not an object")
            permissions = {}
        settings = (*self._rules(permissions), *self._hooks())
        return Foreign(settings, (*self._unheeded(permissions), *self._remarks), tuple(self._errors))

    def _rules(self, permissions: dict[str, Any]) -> Iterator[Setting]:
        for key in RULES:
            items = permissions.get(str(key[1]), [])
            if not isinstance(items, list):
                self._complain(key, "not a list of rules")
                continue
            for index, text in enumerate(items):
                if not isinstance(text, str):
                    self._complain((*key, index), "not the text of a rule")
                    continue
                ignored = "" if self._counts or key == DENY else UNTRUSTED
                yield Setting(self._scope, key, text, self._document.at((*key, index)), ignored=ignored)

    def _hooks(self) -> Iterator[Setting]:
        hooks = self._document.data.get("hooks", {})
        if self._document.data.get("disableAllHooks") is True or not hooks:
            return
        from roocode.tools.hooks.claude import Remark, entries

        for each in entries(hooks):
            where = self._document.at(each.path)
            if isinstance(each, Remark):
                dotted = ".".join(map(str, each.path))
                self._remarks.append(f"{where}: {dotted} is not honoured: {each.why}")
            else:
                ignored = "" if self._counts else UNTRUSTED
                yield Setting(self._scope, HOOKS, each.data, where, ignored=ignored)

    def _unheeded(self, permissions: dict[str, Any]) -> Iterator[str]:
        lists = {str(key[1]) for key in RULES}
        paths: list[tuple[str, ...]] = [("permissions", key) for key in permissions if key not in lists]
        paths += [(key,) for key in self._document.data if key not in _READ | _SILENT]
        for path in paths:
            dotted = ".".join(path)
            yield f"{self._document.at(path)}: {dotted} is not honoured: {_WITHHELD.get(dotted, _OTHERWISE)}"

    def _complain(self, path: tuple[str | int, ...], what: str) -> None:
        name = ".".join(str(part) for part in path if isinstance(part, str))
        self._errors.append(f"{self._document.at(path)}: {name} is {what}: it may have meant a deny")
