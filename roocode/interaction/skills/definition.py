"""What a skill or a command is, and how its file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roocode.interaction.extensions.found import Read
from roocode.interaction.extensions.places import Folder
from roocode.interaction.skills.fields import (
    identifiers_of,
    is_true,
    items_of,
    spelled_our_way,
    text_of,
    usable_name,
)
from roocode.interaction.skills.own_tools import OwnTool
from roocode.protocol import front_matter
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.security.permissions.rules import never_matches, parse_rule

Mode: TypeAlias = Literal["inline", "fork"]
SkillKind: TypeAlias = Literal["skill", "command"]

_UNHEEDED = ("agent", "background", "disallowed_tools", "hooks", "paths", "shell", "subtask")
"""Fields that act elsewhere and have no effect here; what only informs (license, version) is passed over."""
_FORK_ONLY = ("model", "effort")
_HEADING = re.compile(r"^#+\s*")


@frozen
class Skill:
    """Instructions for a kind of work.

    `allowed` are the only tools that it may use, None for all that there are. `folder` holds its references
    and scripts; None for a single file. `for_model` and `for_person` say who may call it. `counts_from_one`:
    `$1` is the first argument, as commands had it before there was a `$0`.
    """

    name: str
    description: str
    body: str
    path: Path
    kind: SkillKind = "skill"
    when_to_use: str = ""
    tags: tuple[str, ...] = ()
    mode: Mode = "inline"
    allowed: tuple[str, ...] | None = None
    hint: str = ""
    arguments: tuple[str, ...] = ()
    for_model: bool = True
    for_person: bool = True
    model: str = ""
    effort: str = ""
    folder: Path | None = None
    plugin_root: Path | None = None
    tools: tuple[OwnTool, ...] = ()
    counts_from_one: bool = False


def read_skill(text: str, path: Path, folder: Folder) -> Read[Skill]:
    """The skill in a file. Raises UserError for one with nothing in it, or with a head that has no end."""
    parsed, fields = _parsed(text, path)
    in_folder = path.name.lower() == "skill.md"
    fallback = path.parent.name if in_folder else path.stem
    name = usable_name(fields.get("name"), fallback)
    notes = [*_slips(parsed), *_name_notes(name, fields.get("name"), fallback)]
    if "description" not in fields:
        notes.append("it has no description: its first words stand for one")
    skill = _skill(name, fields, parsed.body, path, folder)
    skill = replace(skill, folder=path.parent) if in_folder else skill
    return Read(name, skill, (*notes, *_unheeded(fields, skill)))


def read_command(text: str, path: Path, folder: Folder) -> Read[Skill]:
    """The command in a file, called as the file is. Raises UserError as `read_skill` does."""
    parsed, fields = _parsed(text, path)
    name = usable_name(path.stem, path.parent.name)
    skill = _skill(name, fields, parsed.body, path, folder, kind="command")
    return Read(name, skill, (*_slips(parsed), *_unheeded(fields, skill)))


def _parsed(text: str, path: Path) -> tuple[front_matter.FrontMatter, dict[str, Any]]:
    parsed = front_matter.read(text)
    fields = spelled_our_way(parsed.fields)
    if parsed.error:
        raise UserError(f"{path.name}: {parsed.error}", "mend the lines between the two ---")
    if not parsed.body.strip() and "description" not in fields:
        raise UserError(f"{path.name}: it says nothing", "write the instructions below the front matter")
    return parsed, fields


def _skill(
    name: str, fields: Mapping[str, Any], body: str, path: Path, folder: Folder, kind: SkillKind = "skill"
) -> Skill:
    said_mode = text_of(fields.get("mode") or fields.get("context")).lower()
    allowed = items_of(fields["allowed_tools"]) if "allowed_tools" in fields else None
    return Skill(
        name=name,
        description=text_of(fields.get("description")) or _first_words(body),
        body=body.strip("\n"),
        path=path,
        kind=kind,
        when_to_use=text_of(fields.get("when_to_use")),
        tags=items_of(fields.get("tags", "")),
        mode="fork" if said_mode == "fork" else "inline",
        allowed=None if allowed is not None and "*" in allowed else allowed,
        hint=text_of(fields.get("argument_hint")),
        arguments=identifiers_of(fields.get("arguments")),
        for_model=kind == "skill" and not is_true(fields.get("disable_model_invocation"), otherwise=False),
        for_person=is_true(fields.get("user_invocable"), otherwise=True),
        model=text_of(fields.get("model")),
        effort=text_of(fields.get("effort")),
        plugin_root=folder.root,
        counts_from_one=kind == "command" and _counts_from_one(body),
    )


def _first_words(body: str) -> str:
    """The first paragraph, or else the first heading."""
    paragraphs = [each.strip() for each in re.split(r"\n\s*\n", body) if each.strip()]
    for paragraph in paragraphs:
        lines = [line for line in paragraph.splitlines() if not _HEADING.match(line)]
        if lines and not lines[0].startswith(("```", "---", "<!--", "!`", "|")):
            return " ".join(lines)
    return _HEADING.sub("", paragraphs[0].splitlines()[0]) if paragraphs else ""


def _counts_from_one(body: str) -> bool:
    numbers = set(re.findall(r"(?<!\\)\$(\d)(?!\d)", body)) | set(re.findall(r"\$ARGUMENTS\[(\d)\]", body))
    return "1" in numbers and "0" not in numbers


def _slips(parsed: front_matter.FrontMatter) -> Iterator[str]:
    if parsed.slips:
        yield f"not valid YAML, taken as plain text: {', '.join(parsed.slips)}"


def _name_notes(name: str, said: object, fallback: str) -> Iterator[str]:
    if said is not None and str(said) != name:
        yield f"its name {str(said)[:80]!r} is used as {name}"
    elif name != fallback and said is not None:
        yield f"its name is not that of where it lies ({fallback})"


def _unheeded(fields: Mapping[str, Any], skill: Skill) -> Iterator[str]:
    left_out = [key for key in _UNHEEDED if key in fields]
    if skill.mode == "inline":
        left_out += [key for key in _FORK_ONLY if text_of(fields.get(key)) not in ("", "inherit")]
    if left_out:
        yield f"not honoured: {', '.join(key.replace('_', '-') for key in left_out)}"
    said_mode = text_of(fields.get("mode") or fields.get("context")).lower()
    if said_mode not in ("", "inline", "fork"):
        yield f"its mode {said_mode!r} is not known: it runs inline"
    for text in skill.allowed or ():
        if why := never_matches(parse_rule(text, "allow", "user")):
            yield f"allowed-tools: {text} lets nothing through: {why}"
