"""Masks in place of secrets, in values of any shape: pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from roocode.protocol.messages import Thinking

Mask: TypeAlias = Callable[[str], str]
"""Gives a text with a mask in the place of each secret; the very same text where there is none."""

T = TypeVar("T")

MASK = re.compile(r"\[secret: [\w .-]{1,80} [0-9a-f]{4}\]", re.ASCII)
"""What a mask looks like: a kind or a variable's name, and four digits that tell two secrets apart."""


def unmasked(text: str) -> str:
    """The Mask that hides nothing."""
    return text


def masked(value: T, mask: Mask) -> T:
    """The value with every text in it masked: frozen dataclasses, mappings, lists and tuples are walked.

    It is the very same object where there is nothing to hide. Reasoning whose text changes loses its
    signature, which would not fit it any more; what a provider encrypted stays.
    """
    return cast(T, _masked(value, mask))


def masks_in(value: object) -> tuple[str, ...]:
    """The masks that stand in a value's texts, in order."""
    found: list[str] = []

    def note(text: str) -> str:
        found.extend(MASK.findall(text))
        return text

    _masked(value, note)
    return tuple(found)


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _masked(value: Any, mask: Mask) -> Any:
    match value:
        case str():
            return mask(value)
        case None | int() | float():
            return value
        case Thinking(text, _, redacted):
            hidden = text if redacted else mask(text)
            return value if hidden == text else Thinking(hidden)
        case Mapping():
            pairs = {_masked(key, mask): _masked(item, mask) for key, item in value.items()}
            same = len(pairs) == len(value) and all(
                key in pairs and pairs[key] is item for key, item in value.items()
            )
            return value if same else pairs
        case tuple() | list():
            items = [_masked(item, mask) for item in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else type(value)(items)
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changed: dict[str, Any] = {}
            for name in _fields(type(value)):
                item = getattr(value, name)
                if (new := _masked(item, mask)) is not item:
                    changed[name] = new
            return dataclasses.replace(value, **changed) if changed else value
        case _:
            return value
