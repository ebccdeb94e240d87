"""Secrets by the name that they are given: `DB_PASSWORD=…` in a `.env` file, `"client_secret": "…"`. Pure."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache, lru_cache

from roocode.security.isolation.placeholders import (
    has_all_kinds,
    is_default,
    is_place,
    is_placeholder,
    is_plain_word,
)
from roocode.security.isolation.shapes import Hide
from roocode.security.sandbox.environment import says_secret

_ENDINGS = ("token", "secret", "password", "passwd", "passphrase", "credential", "credentials", "pwd", "key")
_KEYS = re.compile(
    r"(?:api|access|secret|private|signing|encryption|auth|license|master|account|service|client)[_-]?key\Z",
    re.IGNORECASE,
)
_GIVEN = r"(?![A-Za-z0-9_-])([\"']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4})(\\?[\"'])?"
_NAMES = tuple(spelled for ending in _ENDINGS for spelled in (ending, ending.capitalize(), ending.upper()))
_OF_NAMES = string.ascii_letters + string.digits + "_.-"
_QUOTED = re.compile(r"[^\"'\s\\<>]{8,512}+")
_OF_A_SHELL = re.compile(r"[^\s\"'`;&|<>\\,]{8,512}+")
_BARE = re.compile(r"[A-Za-z0-9_+/=.~-]{20,512}+(?=[\s,;)}\]\"']|\Z)", re.ASCII)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*+(?:[.:]{1,2}[A-Za-z_$][\w$]*+)*+[(\[]|[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)++\Z"
)
_IDENTIFIER = re.compile(r"(?:[A-Z][a-z]+){2,}|[a-z]+(?:_[a-z]+)+")
_LONGEST_NAME = 64
_SHORTEST_IN_CODE = 16
_SURE_LENGTH = 32


def without_named(text: str, hide: Hide) -> str:
    """The text with the values hidden whose names say that they are secret.

    In capitals right before `=` or `:`, as shells, `.env` and compose files have it, 8 characters are enough;
    elsewhere the value must look like a key.
    """
    pieces: list[str] = []
    end = 0
    for start, stop, name in sorted(_values(text)):
        if start >= end:
            pieces += [text[end:start], hide(name, text[start:stop])]
            end = stop
    return "".join([*pieces, text[end:]]) if pieces else text


def _values(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secret values begin and end, with their names."""
    for spelled in _NAMES:
        if spelled not in text:
            continue
        pattern, at = _given(spelled), 0
        while found := pattern.search(text, at):
            at = found.end()
            name = _name(text, found.start(), spelled)
            if name and (value := _value(text, found, is_shell=_is_shell(name, found[1]))):
                # Past what was looked at already, so that no text is looked at twice.
                at = value.end()
                if _is_secret(value[0], found, name):
                    yield value.start(), value.end(), _label(name)


@cache
def _given(ending: str) -> re.Pattern[str]:
    return re.compile(ending + _GIVEN)


def _name(text: str, start: int, ending: str) -> str:
    """The whole name that ends here, "" for one that names no secret, or that stands in a mask."""
    before = text[max(0, start - _LONGEST_NAME) : start]
    begin = start - len(before) + len(before.rstrip(_OF_NAMES))
    name = text[begin:start] + ending
    if text[max(0, begin - 1) : begin] == "[" or not _is_secret_name(name):
        return ""
    return name


def _value(text: str, found: re.Match[str], *, is_shell: bool) -> re.Match[str] | None:
    expression = _QUOTED if found[2] else _OF_A_SHELL if is_shell else _BARE
    return expression.match(text, found.end())


def _is_shell(name: str, given: str) -> bool:
    """Whether it is spelled as in a shell, a `.env` or a compose file: capitals, and no gap behind them."""
    return name.isupper() and given[0] in "=:"


@lru_cache(maxsize=1024)
def _is_secret_name(name: str) -> bool:
    if name.lower().endswith("key") and not (name.isupper() or _KEYS.search(name)):
        return False
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().replace("-", "_").replace(".", "_")
    return says_secret(spaced) or says_secret(name)


def _is_secret(value: str, found: re.Match[str], name: str) -> bool:
    if is_default(value) or is_placeholder(value) or is_place(value) or _CODE.match(value):
        return False
    if _is_shell(name, found[1]):
        return not is_plain_word(value) and not _IDENTIFIER.fullmatch(value)
    is_key = _is_key(value)
    return is_key if found[2] else is_key and (has_all_kinds(value) or _is_sure(value))


def _is_key(value: str) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return len(value) >= _SHORTEST_IN_CODE and is_mixed and "://" not in value


def _is_sure(value: str) -> bool:
    return len(value) >= _SURE_LENGTH and "_" not in value


def _label(name: str) -> str:
    return re.sub(r"[^\w.-]", "", name, flags=re.ASCII).strip(".-_") or "secret"
