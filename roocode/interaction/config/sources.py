"""Reads every place that can set something: user < project < local < environment < command line.

What a project's files may not set, and what an untrusted one's do not set yet, is kept with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from roocode.interaction.config.document import Document, KeyPath, parse_document, read_text
from roocode.interaction.config.places import SCOPES, Places
from roocode.interaction.config.settings import SandboxMode, Setting
from roocode.interaction.config.trust import Standing
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.isolation.private_paths import require_own

DENY: KeyPath = ("permissions", "deny")
RULES: tuple[KeyPath, ...] = (("permissions", "allow"), ("permissions", "ask"), DENY)
DIRECTORIES: KeyPath = ("permissions", "additional_directories")
SANDBOX: KeyPath = ("sandbox",)
HOOKS: KeyPath = ("hooks",)
ADDITIVE: tuple[KeyPath, ...] = (*RULES, DIRECTORIES, HOOKS)

MODEL_VARIABLE = "ROOCODE_MODEL"
SANDBOX_VARIABLE = "ROOCODE_SANDBOX"

UNTRUSTED = "this directory is not trusted"
NEVER = "never read from a project's files: set it in your own configuration"


@frozen
class Flag:
    """An option of the command line that sets a key; additive keys take one flag an item."""

    key: KeyPath
    value: Any
    option: str


def read_settings(
    places: Places, env: Mapping[str, str], flags: Sequence[Flag], standing: Standing
) -> list[Setting]:
    """All values, lowest place first. Raises UserError for a file that cannot be read or understood."""
    found = list(_file_settings(places, standing))
    if model := env.get(MODEL_VARIABLE):
        found.append(Setting("environment", ("model",), model, MODEL_VARIABLE))
    if sandbox := env.get(SANDBOX_VARIABLE):
        if sandbox not in get_args(SandboxMode):
            known = ", ".join(get_args(SandboxMode))
            raise UserError(f"{SANDBOX_VARIABLE}={sandbox} is no mode of the sandbox", f"known are {known}")
        found.append(Setting("environment", SANDBOX, sandbox, SANDBOX_VARIABLE))
    found.extend(Setting("flag", flag.key, flag.value, flag.option) for flag in flags)
    return found


def _file_settings(places: Places, standing: Standing) -> Iterator[Setting]:
    read = set()
    for scope in SCOPES:
        path = places.config(scope)
        if path in read:
            continue
        read.add(path)
        if scope == "user":
            require_own(path)
        text = read_text(path, places.shown(path))
        if text is None:
            continue
        from roocode.interaction.config.schema import check

        if scope != "user" and not standing.is_that(f".roocode/{path.name}", text.encode()):
            standing = replace(standing, whole=False, local=False)
        checked = check(parse_document(text, places.shown(path)))
        for key, line_key, value in _leaves(checked):
            setting = Setting(scope, key, value, checked.at(line_key))
            yield replace(setting, ignored=_objection(setting, standing))


def _leaves(document: Document) -> Iterator[tuple[KeyPath, KeyPath, Any]]:
    """Key, where its line is recorded, and value; each item of an additive list by itself."""
    for name, value in document.data.items():
        nested = value.items() if isinstance(value, dict) else ((None, value),)
        for inner, each in nested:
            key: KeyPath = (name,) if inner is None else (name, inner)
            if key in ADDITIVE:
                yield from ((key, (*key, index), item) for index, item in enumerate(each))
            else:
                yield key, key, each


def never_from_project(key: KeyPath, value: Any) -> bool:
    """Whether this may stand in the user's own configuration alone, however trusted a project is."""
    bypass = key == ("permissions", "mode") and value == "bypassPermissions"
    loosened = key == SANDBOX and value != "required"
    return key[0] == "providers" or key == DIRECTORIES or bypass or loosened


def _objection(setting: Setting, standing: Standing) -> str:
    """Why a value from a file has no effect; "" where it has."""
    if setting.tier == "user":
        return ""
    if never_from_project(setting.key, setting.value):
        return NEVER
    counts = standing.whole or (setting.tier == "local" and standing.local)
    return "" if counts or setting.key == DENY else UNTRUSTED
