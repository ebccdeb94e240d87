"""What a scenario may hold: per agent, the steps that the model plays. SCENARIOS.md is its guide.

The dataclasses are what a file says; `load` is the one place that reads and checks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import yaml
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.messages import StopReason
from roocode.protocol.team import TaskStatus
from roocode.scripted import templates

_EXACT: dict[str, Any] = {"extra": "forbid", "coerce_numbers_to_str": True}


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _fault(value: object) -> object:
    return {"status": value} if isinstance(value, int) else value


Words: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Seconds: TypeAlias = Annotated[float, Field(ge=0)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
Count: TypeAlias = Annotated[int, Field(ge=0)]


@frozen
class Between:
    """A number within bounds, both included."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    at_least: int = 0
    at_most: int | None = None


@frozen
class ResultIs:
    """A result in the last message, of a call to `tool` (any where empty)."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    tool: str = ""
    error: bool | None = None
    contains: Words = ()


@frozen
class TaskIs:
    """A task's status and owner; what is not given does not matter."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    status: TaskStatus | None = None
    owner: str | None = None


@frozen
class Condition:
    """What must hold of a request or of the team's tasks; all that is given must hold."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    last_contains: Words = ()
    last_matches: str = ""
    last_role: Literal["user", "tool"] | None = None
    result: ResultIs | None = None
    any_contains: Words = ()
    first_contains: Words = ()
    system_contains: Words = ()
    turns: int | Between | None = None
    offers: Words = ()
    tool_choice: Literal["auto", "none", "any", "tool"] | None = None
    tasks: Mapping[str, TaskStatus | TaskIs] = field(default_factory=dict)
    all_tasks: TaskStatus | None = None
    claimable: Words = ()
    unless: Condition | None = None
    either: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        try:
            re.compile(self.last_matches)
        except re.error as error:
            raise ValueError(f"last_matches is not a regular expression: {error}") from error


@frozen
class Wait:
    """Holds the answer until a condition holds, at most `timeout_s` seconds."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    until: Condition
    timeout_s: Seconds = 30.0


@frozen
class PlannedCall:
    """A tool call; `raw` are arguments that are sent as they are, instead of `input`.

    `unoffered` allows a tool that the request does not offer.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    raw: str | None = None
    unoffered: bool = False


@frozen
class PlannedUsage:
    """Tokens to report instead of the estimate."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0


@frozen
class Fault:
    """A provider's error: an HTTP response, or with `after` an event behind that many events of a stream."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    status: Annotated[int, Field(ge=400, le=599)]
    message: str = ""
    kind: str = ""
    retry_after: Seconds | None = None
    after: Count | None = None


@frozen
class _Sending:
    """How an answer leaves: delays, cuts, and the sizes of what is sent; None takes the scenario's."""

    first_token_delay_s: Seconds | None = None
    delta_delay_s: Seconds | None = None
    chunk: Positive | None = None
    interleave: bool = False
    pieces: Positive | tuple[Positive, ...] | None = None
    cut_after: Count | None = None
    cut: Literal["drop", "end"] = "drop"
    status: Annotated[int, Field(ge=200, le=599)] = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@frozen
class Step(_Sending):
    """One answer of the model, or with `any_order` a group of them that may come in any order."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    when: Condition | None = None
    wait: Wait | None = None
    always: bool = False
    once: bool = False
    repeat: Positive = 1
    any_order: tuple[Step, ...] = ()
    text: str | None = None
    thinking: str | None = None
    calls: tuple[PlannedCall, ...] = ()
    stop: StopReason | None = None
    usage: PlannedUsage | None = None
    error: Annotated[Fault | None, BeforeValidator(_fault)] = None
    raw_sse: str | bytes | None = None
    raw_body: str | bytes | None = None

    def __post_init__(self) -> None:
        complaint = next(self._complaints(), "")
        if complaint:
            raise ValueError(complaint)
        for template in (self.text, self.thinking, *(call.input for call in self.calls)):
            templates.check(template)

    @property
    def speaks(self) -> bool:
        """Whether it holds an answer of the model (and not only an error or raw bytes)."""
        return self.text is not None or self.thinking is not None or bool(self.calls) or self.stop is not None

    @property
    def spent_by_sending(self) -> bool:
        """Whether sending it consumes it: its answer can never be seen again in a conversation."""
        lost = self.error is not None or self.cut_after is not None or not self.speaks
        return self.once or lost or not (self.text or self.calls)

    def _complaints(self) -> Iterator[str]:
        raw = (self.raw_sse is not None) + (self.raw_body is not None)
        if not (self.any_order or self.speaks or self.error or raw):
            yield "says nothing: give text, calls, stop, error, raw_sse, raw_body or any_order"
        group_says_more = self.speaks or self.error or raw or self.when or self.wait
        if self.any_order and (group_says_more or self.always or self.once or self.repeat > 1):
            yield "any_order stands alone: all else belongs to its members"
        if any(member.any_order or member.always for member in self.any_order):
            yield "a member of any_order can be neither `always` nor a group"
        if raw and (self.speaks or self.error or raw == 2):
            yield "raw_sse and raw_body stand alone"
        if self.error and self.speaks != (self.error.after is not None):
            yield "an answer with an error needs error.after, and error.after needs an answer"
        if self.always and (self.once or self.repeat > 1):
            yield "`always` fires any number of times: drop `once` and `repeat`"


@frozen
class Scenario:
    """All that the server plays. Empty `models` and `keys` accept all; `chunk` is in characters.

    `window` is what the list of models says of each, in tokens; 0 for nothing.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _EXACT
    agents: Mapping[str, tuple[Step, ...]]
    strict: bool = True
    models: Words = ()
    keys: Words = ()
    window: Count = 0
    tasks_file: str = ""
    first_token_delay_s: Seconds = 0.0
    delta_delay_s: Seconds = 0.0
    chunk: Positive = 64


def load(source: Path | Mapping[str, Any], **settings: Any) -> Scenario:
    """Reads a scenario from a YAML file or a mapping; `settings` replace its top-level ones.

    Raises UserError, which names the file and the key.
    """
    place = str(source) if isinstance(source, Path) else "scenario"
    raw = _parse(source) if isinstance(source, Path) else source
    if not isinstance(raw, Mapping):
        raise UserError(f"{place}: not a mapping", "Begin it with `agents:`.")
    try:
        return TypeAdapter(Scenario).validate_python({**raw, **settings})
    except ValidationError as error:
        lines = [f"{place}: {_spot(item['loc'])}: {item['msg']}" for item in error.errors()]
        raise UserError(
            "\n".join(lines), "See roocode/scripted/SCENARIOS.md for what a scenario holds."
        ) from error


def _parse(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not YAML: {error}") from error


def _spot(location: tuple[int | str, ...]) -> str:
    """Spells a place as the log names steps: `agents.lead step 2: calls.0.tool`."""
    if len(location) > 2 and location[0] == "agents" and isinstance(location[2], int):
        rest = ".".join(str(part) for part in location[3:])
        return f"agents.{location[1]} step {location[2] + 1}" + (f": {rest}" if rest else "")
    return ".".join(str(part) for part in location)
