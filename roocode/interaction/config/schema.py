"""The shape of a configuration file, and what is said where a file does not fit it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_snake

from roocode.interaction.config.document import Document, KeyPath
from roocode.protocol.decisions import Mode
from roocode.protocol.errors import UserError


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Provider(_Part):
    """A service that speaks one of the two wire protocols."""

    protocol: Literal["anthropic", "openai"]
    base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    transport: Literal["http", "sdk"] | None = None
    default_model: str | None = None


class Permissions(_Part):
    """Mode and rules; rules are texts such as `Bash(git log *)`."""

    mode: Mode = "default"
    allow: list[str] = []
    ask: list[str] = []
    deny: list[str] = []
    additional_directories: list[str] = []


class TeamPart(_Part):
    """How `roocode team` runs."""

    max_teammates: Annotated[int, Field(ge=1, le=32)] = 4
    backend: Literal["auto", "tmux", "iterm2", "in-process"] = "auto"
    verify: str | None = None
    coordinator: bool = True


class WorktreePart(_Part):
    """What a new worktree gets besides its commit."""

    copy_: list[str] = Field(default=[], alias="copy")
    symlink: list[str] = []
    setup: str | None = None


class ConfigFile(_Part):
    """A whole file. A key that is absent says nothing about its setting."""

    model: str | None = None
    fallback_model: str | None = None
    small_model: str | None = None
    providers: dict[str, Provider] = {}
    aliases: dict[str, str] = {}
    permissions: Permissions = Permissions()
    hooks: list[dict[str, Any]] = []
    mcp_servers: dict[str, dict[str, Any]] = {}
    team: TeamPart = TeamPart()
    worktree: WorktreePart = WorktreePart()
    transport: Literal["http", "sdk"] = "http"
    max_turns: Annotated[int, Field(ge=1)] = 50
    enable_verification_agent: bool = False


def check(document: Document) -> dict[str, Any]:
    """The file's data with snake_case keys and checked types, only the keys that the file sets.

    camelCase spellings of known keys are accepted; a key without a value counts as absent. Raises UserError
    that names, for every problem, file, line and key, and for an unknown key the nearest known one.
    """
    naming = _Naming(document)
    data = naming.renamed(document.data, ConfigFile, (), ())
    if naming.problems:
        raise UserError("\n".join(naming.problems))
    try:
        checked = ConfigFile.model_validate(data)
    except ValidationError as error:
        raise UserError("\n".join(_complaints(error, document, naming.spelled))) from error
    return checked.model_dump(exclude_unset=True, by_alias=True)


def known_paths(model: type[BaseModel] = ConfigFile, under: str = "") -> Iterator[str]:
    """Every key that a file can set, dotted; those of named things end in `.*`."""
    for name, annotation in _fields(model).items():
        inner, path = _inner(annotation), f"{under}{name}"
        if inner is not None and get_origin(annotation) is None:
            yield from known_paths(inner, f"{path}.")
        elif get_origin(annotation) is dict:
            yield f"{path}.*"
        else:
            yield path


class _Naming:
    """Renames camelCase keys and collects unknown ones; `spelled` leads back to the file's own spelling."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[str] = []
        self.spelled: dict[KeyPath, KeyPath] = {}

    def renamed(self, data: Any, model: type[BaseModel], path: KeyPath, spelled: KeyPath) -> Any:
        """Data for a model; what is not a mapping is left for the model to complain of."""
        if not isinstance(data, dict):
            return data
        fields = _fields(model)
        result: dict[str, Any] = {}
        for key, value in data.items():
            name = key if key in fields else to_snake(key)
            here = (*spelled, key)
            if name not in fields:
                self.problems.append(self._unknown(key, here, list(fields)))
            elif (*path, name) in self.spelled:
                self.problems.append(f"{self.document.at(here)}: the key {name!r} stands twice")
            elif value is not None:
                self.spelled[(*path, name)] = here
                result[name] = self._value(value, fields[name], (*path, name), here)
        return result

    def _value(self, value: Any, annotation: Any, path: KeyPath, spelled: KeyPath) -> Any:
        inner = _inner(annotation)
        if inner is None:
            return value
        if get_origin(annotation) is not dict:
            return self.renamed(value, inner, path, spelled)
        if not isinstance(value, dict):
            return value
        return {
            name: self.renamed(each, inner, (*path, name), (*spelled, name)) for name, each in value.items()
        }

    def _unknown(self, key: str, here: KeyPath, known: list[str]) -> str:
        near = get_close_matches(to_snake(key), known, n=1, cutoff=0.5)
        where = f"{self.document.at(here)}: unknown key {'.'.join(map(str, here))!r}"
        return f"{where}: did you mean {near[0]!r}?" if near else f"{where}: known are {', '.join(known)}"


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    """The annotation of each key as the file spells it."""
    return {info.alias or name: info.annotation for name, info in model.model_fields.items()}


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation holds: itself, or as the values of a mapping."""
    candidate = get_args(annotation)[1] if get_origin(annotation) is dict else annotation
    return candidate if isinstance(candidate, type) and issubclass(candidate, BaseModel) else None


_WORDS = {
    "missing": "is missing",
    "model_type": "should be a mapping of keys",
    "dict_type": "should be a mapping of keys",
    "list_type": "should be a list",
    "string_type": "should be text: put it in quotes",
    "string_pattern_mismatch": "does not have the form of its kind",
    "int_parsing": "should be a whole number",
    "bool_parsing": "should be true or false",
}


def _complaints(error: ValidationError, document: Document, spelled: dict[KeyPath, KeyPath]) -> Iterator[str]:
    for problem in error.errors(include_url=False, include_context=False):
        path = problem["loc"]
        known = next((path[:length] for length in range(len(path), 0, -1) if path[:length] in spelled), ())
        own = (*spelled.get(known, ()), *path[len(known) :])
        words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Input "))
        yield f"{document.at(own)}: {'.'.join(map(str, own))}: {words}"
