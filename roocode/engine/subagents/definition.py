"""What an agent definition says, as people write it: strict on what widens, lenient on the rest. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roocode.engine.subagents import fields
from roocode.protocol import front_matter
from roocode.protocol.decisions import Mode
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.models import Effort

LONGEST_NAME = 128
MOST_TURNS = 1_000
_COSMETIC = frozenset({"name", "description", "color", "version", "author", "license", "type", "category"})
_KNOWN = frozenset({
    "tools", "disallowed_tools", "model", "permission_mode", "max_turns", "max_steps", "background", "effort",
    "isolation", "when_to_use", "mode",
})  # fmt: skip


@frozen
class AgentDefinition:
    """One kind of agent: `prompt` is its system prompt, `tools` None where it may have all.

    `tools` and `disallowed` are written as rules are, `Tool` or `Tool(pattern)`. `model` is a name, `small`,
    or `inherit`; `mode` can only tighten its parent's. `custom`: it does not ship
    with RooCode. `model_by_call`: the call named the model, so that it must be there.
    """

    name: str
    description: str
    prompt: str
    tools: tuple[str, ...] | None = None
    disallowed: tuple[str, ...] = ()
    model: str = fields.INHERIT
    effort: Effort | None = None
    max_turns: int | None = None
    mode: Mode | None = None
    background: bool = False
    in_worktree: bool = False
    custom: bool = True
    model_by_call: bool = False


def read(text: str, fallback: str, *, custom: bool = True) -> tuple[AgentDefinition, tuple[str, ...]]:
    """The definition in a file, and what of it is not honoured. `fallback` is the file's own name.

    Raises UserError for a file that is none.
    """
    parsed = front_matter.read(text)
    if parsed.error:
        raise UserError(parsed.error)
    if not parsed.fields:
        raise UserError("it has no front matter, so it is a note and no agent definition")
    definition, notes = of_fields(parsed.fields, parsed.body, fallback, custom=custom)
    slips = tuple(f"`{key}` is no valid YAML and was taken as plain text" for key in parsed.slips)
    return definition, (*slips, *notes)


def of_fields(
    given: Mapping[str, Any], body: str, fallback: str, *, custom: bool = True
) -> tuple[AgentDefinition, tuple[str, ...]]:
    """The definition that these fields make, and what of them is not honoured. Raises UserError."""
    plain = {fields.snake(key): value for key, value in given.items()}
    if "allowed_tools" in plain:
        plain.setdefault("tools", plain.pop("allowed_tools"))
    if not plain.keys() & {"name", "description"}:
        raise UserError("it says neither `name` nor `description`, so it is no agent definition")
    notes: list[str] = []
    tools, refused = fields.tools(plain.get("tools"), notes), ()
    if isinstance(plain.get("tools"), Mapping):
        tools, refused = None, tools or ()
    turns = plain.get("max_turns", plain.get("max_steps"))
    definition = AgentDefinition(
        name=_name(plain.get("name"), fallback, notes),
        description=_description(plain, notes),
        prompt=body.strip(),
        tools=tools,
        disallowed=(*refused, *_disallowed(plain.get("disallowed_tools"), notes)),
        model=fields.model(plain.get("model"), notes),
        effort=fields.effort(plain.get("effort"), notes),
        max_turns=fields.whole("max_turns", turns, notes, MOST_TURNS),
        mode=fields.mode(plain.get("permission_mode"), notes),
        background=fields.truth("background", plain.get("background"), notes),
        in_worktree=fields.isolation(plain.get("isolation"), notes),
        custom=custom,
    )
    notes += [f"`{key}` is not honoured" for key in sorted(plain.keys() - _COSMETIC - _KNOWN)]
    return definition, tuple(notes)


def _name(said: object, fallback: str, notes: list[str]) -> str:
    if said is None:
        notes.append(f"it says no name: it is called {fallback} after its file")
    name = " ".join(str(fallback if said is None else said).split())
    fits = name.isprintable() and ":" not in name and len(name) <= LONGEST_NAME
    if not fits or not any(map(str.isalnum, name)):
        shown = name[:LONGEST_NAME]
        raise UserError(f"its name {shown!r} is none: write letters, at most {LONGEST_NAME}, without `:`")
    return name


def _disallowed(value: object, notes: list[str]) -> tuple[str, ...]:
    """What it must not use; a star takes all."""
    listed = fields.tools(value, notes)
    return ("*",) if listed is None and value is not None else listed or ()


def _description(plain: Mapping[str, Any], notes: list[str]) -> str:
    parts = [fields.text(plain.get("description")), fields.text(plain.get("when_to_use"))]
    described = "\n".join(part for part in parts if part)
    if not described:
        notes.append("it says no description: a model is told its name alone")
    return described


def with_call(
    definition: AgentDefinition, *, model: str | None, background: bool, in_worktree: bool
) -> AgentDefinition:
    """The definition with what a call of Agent says beside it."""
    return replace(
        definition,
        model=model or definition.model,
        model_by_call=model is not None,
        background=background or definition.background,
        in_worktree=in_worktree or definition.in_worktree,
    )
