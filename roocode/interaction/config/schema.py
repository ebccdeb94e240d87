"""The shape of a configuration file, and what is said where a file does not fit it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_snake
from pydantic_core import PydanticCustomError

from roocode.interaction.config.document import Document, KeyPath
from roocode.interaction.config.settings import SandboxMode
from roocode.protocol.decisions import Mode
from roocode.protocol.errors import UserError
from roocode.protocol.models import Effort
from roocode.tools.hooks.reading import HookFault, read_hook


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Provider(_Part):
    """A service that speaks one of the wire protocols."""

    protocol: Literal["anthropic", "openai", "openai-responses"]
    base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    transport: Literal["http", "sdk"] | None = None
    default_model: str | None = None
    platform: Literal["direct", "profile", "bedrock", "vertex", "azure"] = "direct"


class ModelPart(_Part):
    """What a person knows better of a model: sizes in tokens, prices in USD per million tokens."""

    window: Annotated[int, Field(ge=1)] | None = None
    max_output: Annotated[int, Field(ge=1)] | None = None
    input_price: Annotated[float, Field(ge=0)] | None = None
    output_price: Annotated[float, Field(ge=0)] | None = None
    cache_read_price: Annotated[float, Field(ge=0)] | None = None
    cache_write_price: Annotated[float, Field(ge=0)] | None = None


def _ask_timeout(value: Any) -> int | str:
    """Seconds from 1, or "off"; raises what pydantic tells in one sentence, which a union would not."""
    if value == "off":
        return "off"
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise PydanticCustomError("ask_timeout", "should be a number of seconds from 1, or off")


class Permissions(_Part):
    """Mode and rules, which are texts such as `Bash(git log *)`.

    `ask_timeout` is how many seconds a teammate's question waits for the person.
    """

    mode: Mode = "default"
    allow: list[str] = []
    ask: list[str] = []
    deny: list[str] = []
    additional_directories: list[str] = []
    ask_timeout: Annotated[int | Literal["off"], BeforeValidator(_ask_timeout)] = 600


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


class SubAgentsPart(_Part):
    """How many sub-agents work at once, and after how many seconds one in front goes into the background."""

    max_running: Annotated[int, Field(ge=1, le=64)] = 8
    auto_background: Annotated[int | Literal["off"], BeforeValidator(_ask_timeout)] = 120


Share = Annotated[float, Field(gt=0, lt=1)]


class ContextPart(_Part):
    """Room in the model's window: its size in tokens, the shares that are left when room is made.

    `tools` is the share that further tools may have before only their names are told.
    """

    window: Annotated[int, Field(ge=4_000)] | None = None
    warning: Share = 0.35
    clearing: Share = 0.275
    summary: Share = 0.20
    full: Share = 0.05
    tools: Annotated[float, Field(ge=0, le=1)] = 0.10


class McpLogin(_Part):
    """What a server's login needs that cannot be found out."""

    client_id: str | None = None
    client_secret: str | None = None
    client_metadata_url: Annotated[str, Field(pattern=r"^https://\S+$")] | None = None
    grant: Literal["authorization_code", "client_credentials"] = "authorization_code"
    issuer: str | None = None
    callback_port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    scopes: str | None = None


class McpServer(_Part):
    """A server of the Model Context Protocol: a `command` to start, or a `url`. Times are in seconds."""

    type: Literal["stdio", "http", "sse"] | None = None
    command: str | None = None
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = {}
    timeout: Annotated[float, Field(gt=0)] | None = None
    start_timeout: Annotated[float, Field(gt=0)] | None = None
    always_load: bool = False
    protocol: Literal["auto", "legacy"] = "auto"
    oauth: McpLogin = McpLogin()
    enabled: bool = True


class ConfigFile(_Part):
    """A whole file. A key that is absent says nothing about its setting."""

    model: str | None = None
    fallback_model: str | None = None
    small_model: str | None = None
    effort: Effort | None = None
    providers: dict[str, Provider] = {}
    aliases: dict[str, str] = {}
    models: dict[str, ModelPart] = {}
    permissions: Permissions = Permissions()
    hooks: list[dict[str, Any]] = []
    mcp_servers: dict[str, McpServer] = {}
    team: TeamPart = TeamPart()
    subagents: SubAgentsPart = SubAgentsPart()
    worktree: WorktreePart = WorktreePart()
    context: ContextPart = ContextPart()
    transport: Literal["http", "sdk"] = "http"
    max_turns: Annotated[int, Field(ge=1)] = 50
    max_seconds: Annotated[int, Field(ge=1)] | None = None
    sandbox: SandboxMode = "auto"
    enable_verification_agent: bool = False


def check(document: Document) -> Document:
    """The document with snake_case keys and checked types, holding only what the file sets.

    camelCase spellings of known keys are accepted; a key without a value counts as absent. Raises UserError
    that names, for every problem, file, line and key, and for an unknown key the nearest known one.
    """
    naming = _Naming(document)
    data = naming.renamed(document.data, ConfigFile, (), ())
    if naming.problems:
        raise UserError("\n".join(naming.problems))
    renamed = replace(document, data=data, lines=naming.lines())
    try:
        checked = ConfigFile.model_validate(data)
    except ValidationError as error:
        raise UserError("\n".join(_complaints(error, renamed))) from error
    if problems := list(_faulty_hooks(checked.hooks, renamed)):
        raise UserError("\n".join(problems))
    return Document(document.shown, checked.model_dump(exclude_unset=True, by_alias=True), renamed.lines)


def _faulty_hooks(hooks: Sequence[dict[str, Any]], document: Document) -> Iterator[str]:
    for index, data in enumerate(hooks):
        try:
            read_hook(data, "")
        except HookFault as fault:
            path: KeyPath = ("hooks", index, *fault.path)
            where = document.at(path)
            if fault.at is not None:
                where = document.at_character(path, str(data["if"]), fault.at)
            yield f"{where}: {'.'.join(map(str, path))}: {fault.what}"


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


def value_for(key: Sequence[str], text: str) -> Any:
    """The value that a text on the command line means for a key; a list is written as JSON.

    Raises UserError for a key that is not known, with the nearest one, and for a text that does not fit.
    """
    annotation = _annotation(key)
    kind = get_origin(annotation) or annotation
    if kind is dict or _inner(annotation) is not None:
        raise UserError(f"{'.'.join(key)} holds further keys", f"set one of them: {'.'.join(key)}.KEY")
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        return adapter.validate_json(text) if kind is list else adapter.validate_python(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Input "))
        raise UserError(f"{'.'.join(key)}: {words}") from error


def _annotation(key: Sequence[str]) -> Any:
    annotation: Any = ConfigFile
    for part in key:
        inner = _inner(annotation)
        if get_origin(annotation) is dict:
            annotation = get_args(annotation)[1]
        elif inner is not None and part in (fields := _fields(inner)):
            annotation = fields[part]
        else:
            raise unknown_key(".".join(key))
    return annotation


def unknown_key(dotted: str) -> UserError:
    """The error for a key that no file can set, naming the nearest one."""
    known = list(known_paths())
    near = get_close_matches(dotted, known, n=1, cutoff=0.5)
    mend = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return UserError(f"unknown key {dotted!r}", mend)


class _Naming:
    """Renames camelCase keys and collects the unknown ones."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[str] = []
        self._names: dict[KeyPath, KeyPath] = {}

    def lines(self) -> dict[KeyPath, int]:
        """The document's lines under the new names."""
        return {self._renamed_path(path): line for path, line in self.document.lines.items()}

    def _renamed_path(self, path: KeyPath) -> KeyPath:
        for length in range(len(path), 0, -1):
            if path[:length] in self._names:
                return (*self._names[path[:length]], *path[length:])
        return path

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
            elif (*path, name) in self._names.values():
                self.problems.append(f"{self.document.at(here)}: the key {name!r} stands twice")
            elif value is not None:
                self._names[here] = (*path, name)
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
    "float_parsing": "should be a number",
}


def _complaints(error: ValidationError, document: Document) -> Iterator[str]:
    for problem in error.errors(include_url=False, include_context=False):
        path = problem["loc"]
        words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Input "))
        yield f"{document.at(path)}: {'.'.join(map(str, path))}: {words}"
