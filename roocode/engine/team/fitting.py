"""Dataclasses made of JSON values that fit as they are: the common case, for which no pydantic is loaded.

Importing pydantic and building its validators costs a teammate's process 80 ms and 8 MB. What does not fit
here is pydantic's to convert or to complain about: see codec.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
Check = Callable[[Any], bool]


class Fitting(Generic[T]):
    """Makes instances of one dataclass without nested JSON objects of a type of their own."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        hints = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
        self._checks = {name: _check(hints[name]) for name in names}
        self._lists = frozenset(name for name in names if get_origin(hints[name]) is tuple)

    def make(self, fields: Mapping[str, Any]) -> T | None:
        """The instance, None where something is missing or of another type. Unknown fields are ignored."""
        known = {name: value for name, value in fields.items() if name in self._checks}
        if not all(self._checks[name](value) for name, value in known.items()):
            return None
        for name in self._lists & known.keys():
            known[name] = tuple(known[name])
        try:
            return self._kind(**known)
        except TypeError:
            return None


def _check(hint: Any) -> Check:
    """A predicate for values that a field of this type takes without a conversion."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return _anything
    if hint is str:
        return _is_text
    if origin is Literal:
        return partial(_is_word, arguments)
    if origin is UnionType:
        return partial(_is_any_of, [_check(argument) for argument in arguments])
    if origin is tuple:
        return partial(_is_list_of, _check(arguments[0]))
    if origin is Mapping:
        return _is_object
    return partial(_is_a, NoneType if hint is None else hint)


def _anything(_value: Any) -> bool:
    return True


def _is_a(kind: type[Any], value: Any) -> bool:
    return type(value) is kind


def _is_text(value: Any) -> bool:
    """Lone surrogates are no text: UTF-8 cannot carry them."""
    if type(value) is not str:
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False


def _is_word(words: tuple[str, ...], value: Any) -> bool:
    return type(value) is str and value in words


def _is_any_of(checks: list[Check], value: Any) -> bool:
    return any(check(value) for check in checks)


def _is_list_of(check: Check, value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(check, value))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value))
