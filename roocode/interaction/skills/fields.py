"""Reads the fields of a skill's front matter in the shapes that people write them in. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_NAME = 64

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNFIT = re.compile(r"[^\w.-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


def spelled_our_way(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with `allowedTools` and `allowed-tools` as `allowed_tools`; what is empty is left out."""
    found: dict[str, Any] = {}
    for key, value in fields.items():
        ours = _CAPITAL.sub("_", key).replace("-", "_").lower()
        if value is not None and value != "":
            found.setdefault(ours, value)
    return found


def usable_name(said: object, fallback: str) -> str:
    """A name that can be typed behind `/`: of what a file says of itself, or of where it lies."""
    for candidate in (said, fallback):
        text = unicodedata.normalize("NFKC", str(candidate or ""))
        name = _UNFIT.sub("-", text.strip()).strip("-.")[:LONGEST_NAME].strip("-.")
        if name and not name[0].isdecimal():
            return name
        if name:
            return f"skill-{name}"[:LONGEST_NAME]
    return "unnamed"


def text_of(value: object) -> str:
    """A value as text: a list is joined, however it came about (`argument-hint: [a, b]`)."""
    if isinstance(value, list):
        return f"[{', '.join(text_of(item) for item in value)}]"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {text_of(item)}" for key, item in value.items())
    return "" if value is None else str(value).strip()


def items_of(value: object) -> tuple[str, ...]:
    """The items of a list, or of a text that separates them by commas or blanks outside parentheses."""
    if isinstance(value, list):
        return tuple(dict.fromkeys(item for each in value for item in items_of(each)))
    if isinstance(value, dict):
        return tuple(str(key) for key, wanted in value.items() if wanted not in (False, None))
    return tuple(dict.fromkeys(_split(str(value))))


def identifiers_of(value: object) -> tuple[str, ...]:
    """The names of arguments."""
    if isinstance(value, list):
        value = " ".join(str(each.get("name", "")) if isinstance(each, dict) else str(each) for each in value)
    return tuple(dict.fromkeys(_IDENTIFIER.findall(text_of(value))))


def is_true(value: object, *, otherwise: bool) -> bool:
    """A yes or no, quoted or not; `otherwise` where it is neither."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else otherwise


def _split(text: str) -> Iterator[str]:
    word, depth = "", 0
    for character in text.strip().removeprefix("[").removesuffix("]") if _is_bracketed(text) else text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth <= 0 and (character == "," or character.isspace()):
            yield from _item(word)
            word, depth = "", 0
        else:
            word += character
    yield from _item(word)


def _is_bracketed(text: str) -> bool:
    return text.strip().startswith("[") and text.strip().endswith("]")


def _item(word: str) -> Iterator[str]:
    plain = word.strip().strip("'\"`").strip()
    if plain and plain != "-":
        yield plain
