"""Dataclasses of the vocabulary as JSON objects with camelCase names, checked on the way in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from roocode.engine.team.fitting import Fitting

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


class Malformed(ValueError):
    """JSON that does not have the shape of the type it should be; the text names field and expectation."""


def encode(value: Any) -> dict[str, Any]:
    """A dataclass instance as a JSON object: `from_` becomes `from`, `blocked_by` becomes `blockedBy`."""
    return {alias: _plain(getattr(value, name)) for alias, name in _shape(type(value)).names.items()}


def decode(kind: type[T], data: object) -> T:
    """A JSON object as an instance of `kind`, a dataclass without nested dataclasses.

    Fields that it does not know are ignored. Raises Malformed.
    """
    if not isinstance(data, Mapping):
        raise Malformed(f"expected an object, found {type(data).__name__}")
    shape = _shape(kind)
    fields: dict[str, Any] = {shape.names.get(str(key), str(key)): item for key, item in data.items()}
    fitting: T | None = shape.fitting.make(fields)
    return _converted(shape, fields) if fitting is None else fitting


def timestamp() -> str:
    """Now, as it stands in every file of a team: ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Shape:
    """How a dataclass is spelled in JSON, and what checks it."""

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind
        self.names = {_camel(field.name): field.name for field in dataclasses.fields(kind)}

    @cached_property
    def fitting(self) -> Fitting[Any]:
        return Fitting(self._kind)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._kind)


_SHAPES: dict[type[Any], _Shape] = {}


def _shape(kind: type[Any]) -> _Shape:
    if kind not in _SHAPES:
        _SHAPES[kind] = _Shape(kind)
    return _SHAPES[kind]


def _converted(shape: _Shape, fields: Mapping[str, Any]) -> Any:
    from pydantic import ValidationError

    try:
        return shape.adapter.validate_python(fields)
    except ValidationError as error:
        raise Malformed(_complaint(error)) from error


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def _plain(value: Any) -> Any:
    match value:
        case str():
            return _paired(value)
        case None | int() | float():
            return value
        case tuple() | list():
            return [_plain(item) for item in value]
        case Mapping():
            return {_paired(key): _plain(item) for key, item in value.items()}
        case _:
            return encode(value)


def _paired(text: str) -> str:
    """The text with surrogates joined in pairs; lone ones, which UTF-8 cannot carry, become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _complaint(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(_camel(str(part)) for part in p['loc'])}: {p['msg']}" for p in problems)
