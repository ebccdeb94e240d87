"""Secrets that stand in a configuration itself: in headers, variables, options of commands, and addresses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from roocode.interaction.config.load import load_settings
from roocode.interaction.config.settings import Settings
from roocode.security.isolation.secrets import Secrets

_SCHEMES = ("Bearer ", "Basic ", "Token ")


def learn_written(secrets: Secrets, data: object) -> None:
    """Lets the mask know them, however deep they stand. References to variables hold no secret."""
    match data:
        case Mapping():
            for key, value in data.items():
                if key == "headers" and isinstance(value, Mapping):
                    learn_headers(secrets, value)
                elif key == "env" and isinstance(value, Mapping):
                    secrets.learn(_texts(value))
                learn_written(secrets, value)
        case str():
            for name, value in _queried(data):
                secrets.learn({name: value})
        case list() | tuple():
            for name, value in _given(data):
                secrets.learn({name: value})
            for each in data:
                learn_written(secrets, each)
        case _:
            pass


def known_settings(cwd: Path, secrets: Secrets) -> Settings:
    """The settings of a directory, once the mask knows what is secret in them. Raises UserError."""
    settings = load_settings(cwd, os.environ)
    learn_written(secrets, [each.value for each in settings.account])
    return settings


def learn_headers(secrets: Secrets, headers: Mapping[str, object], of: str = "") -> None:
    """All values of headers, without the word for their kind."""
    named = {f"{of} {name}".strip(): _bare(value) for name, value in _texts(headers).items()}
    secrets.learn(named, frozenset(named))


def _bare(value: str) -> str:
    return next((value.removeprefix(each) for each in _SCHEMES if value.startswith(each)), value)


def _texts(data: Mapping[str, object]) -> dict[str, str]:
    return {str(name): value for name, value in data.items() if isinstance(value, str) and "${" not in value}


def _given(words: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Options of a command with their values, as `--token X` and `--token=X`."""
    texts = [word if isinstance(word, str) else "" for word in words]
    for word, after in pairwise([*texts, ""]):
        name, joined, value = word.partition("=")
        if word.startswith("-") and "${" not in (value if joined else after):
            yield name.strip("-"), value if joined else after


def _queried(text: str) -> Iterator[tuple[str, str]]:
    """What stands in the query of an address."""
    if "://" not in text or "?" not in text:
        return
    try:
        yield from parse_qsl(urlsplit(text).query)
    except ValueError:
        return
